import { ApiProperty } from '@nestjs/swagger';
import type { ConfigurationView, Publication } from '../application/configuration.service.js';
import { CATEGORIES, type Category } from '../domain/banner-text.js';
import { CONSENT_MODES, type ConsentMode, type SiteConfiguration } from '../domain/configuration.js';
import { DEFAULT_TEXTS } from '../domain/default-texts.js';
import { REGION_PRESETS } from '../domain/region-presets.js';
import {
  BannerSettingsDto,
  BannerTextDto,
  RegionRuleDto,
  SiteServiceDto,
} from './configuration-parts.dto.js';

export class PublicationDto implements Publication {
  @ApiProperty({ description: 'Counts the publications of the project' }) version!: number;
  @ApiProperty({ description: 'The save that was published; 0: the default' }) configurationVersion!: number;
  @ApiProperty({ example: 'pro' }) tier!: string;
  @ApiProperty({ description: 'Names the immutable object' }) configHash!: string;
  @ApiProperty({ description: 'Region rules were saved that the tier does not allow' })
  regionRulesLeftOut!: boolean;
  @ApiProperty() at!: Date;
}

export class PublicationPageDto {
  @ApiProperty({ type: [PublicationDto] }) items!: PublicationDto[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

export class PublishRequestedDto {
  @ApiProperty() queued!: boolean;
}

export class ConfigurationDto implements SiteConfiguration {
  @ApiProperty({ description: 'Counts the saves, as in the ETag; 0: nothing was ever saved' })
  version!: number;
  @ApiProperty({ type: Date, nullable: true }) updatedAt!: Date | null;
  @ApiProperty() policyVersion!: string;
  @ApiProperty() bannerVersion!: string;
  @ApiProperty({ type: String, nullable: true }) policyUrl!: string | null;
  @ApiProperty() defaultLanguage!: string;
  @ApiProperty({ type: [BannerTextDto] }) texts!: BannerTextDto[];
  @ApiProperty({ enum: CATEGORIES, isArray: true }) categories!: Category[];
  @ApiProperty({ enum: CONSENT_MODES }) defaultMode!: ConsentMode;
  @ApiProperty({ type: [RegionRuleDto] }) regionRules!: RegionRuleDto[];
  @ApiProperty() honorGlobalPrivacyControl!: boolean;
  @ApiProperty({ type: [SiteServiceDto] }) services!: SiteServiceDto[];
  @ApiProperty() reconsentMonths!: number;
  @ApiProperty({ type: BannerSettingsDto }) banner!: BannerSettingsDto;
  @ApiProperty({ description: 'Whether the tier publishes region rules' }) regionRulesAvailable!: boolean;
  @ApiProperty({ type: PublicationDto, nullable: true }) lastPublication!: PublicationDto | null;
}

export function presentConfiguration(view: ConfigurationView): ConfigurationDto {
  const { version, updatedAt, configuration, regionRulesAvailable, lastPublication } = view;
  return { version, updatedAt, ...configuration, regionRulesAvailable, lastPublication };
}

class RegionPresetsDto {
  @ApiProperty({ type: [RegionRuleDto], description: 'European Economic Area, United Kingdom, Switzerland' })
  euUkCh!: RegionRuleDto[];
  @ApiProperty({ type: [RegionRuleDto], description: 'United States: states that let visitors opt out' })
  usStates!: RegionRuleDto[];
}

/** What an editor may begin with. */
export class ConfigurationPresetsDto {
  @ApiProperty({ type: [BannerTextDto], description: 'Our words, by language' }) texts!: BannerTextDto[];
  @ApiProperty({ type: RegionPresetsDto }) regionRules!: RegionPresetsDto;
}

export const CONFIGURATION_PRESETS: ConfigurationPresetsDto = {
  texts: DEFAULT_TEXTS,
  regionRules: REGION_PRESETS,
};
