import { ApiProperty } from '@nestjs/swagger';
import type { ConfigurationView } from '../application/configuration.service.js';
import { CATEGORIES, type Category } from '../domain/banner-text.js';
import { CONSENT_MODES, type ConsentMode, type SiteConfiguration } from '../domain/configuration.js';
import { DEFAULT_TEXTS } from '../domain/default-texts.js';
import { REGION_PRESETS } from '../domain/region-presets.js';
import {
  BannerSettingsDto,
  BannerTextDto,
  BlockingSettingsDto,
  RegionRuleDto,
  SiteServiceDto,
} from './configuration-parts.dto.js';
import { type AuthorNames, PublicationDto } from './publication.dto.js';
import { SignalSettingsDto } from './signals.dto.js';

export class PublishRequestedDto {
  @ApiProperty() queued!: boolean;
}

/** A configuration without its metadata. */
export class ConfigurationContentDto implements SiteConfiguration {
  @ApiProperty() policyVersion!: string;
  @ApiProperty() bannerVersion!: string;
  @ApiProperty({ type: String, nullable: true }) policyUrl!: string | null;
  @ApiProperty() defaultLanguage!: string;
  @ApiProperty({ type: [BannerTextDto] }) texts!: BannerTextDto[];
  @ApiProperty({ enum: CATEGORIES, isArray: true }) categories!: Category[];
  @ApiProperty({ enum: CONSENT_MODES }) defaultMode!: ConsentMode;
  @ApiProperty({ type: [RegionRuleDto] }) regionRules!: RegionRuleDto[];
  @ApiProperty() honorGlobalPrivacyControl!: boolean;
  @ApiProperty({ description: 'Whether page visits are counted' }) siteAnalytics!: boolean;
  @ApiProperty({ type: [SiteServiceDto] }) services!: SiteServiceDto[];
  @ApiProperty() reconsentMonths!: number;
  @ApiProperty({ type: BannerSettingsDto }) banner!: BannerSettingsDto;
  @ApiProperty({ type: BlockingSettingsDto }) blocking!: BlockingSettingsDto;
  @ApiProperty({ type: SignalSettingsDto }) signals!: SignalSettingsDto;
}

export class ConfigurationDto extends ConfigurationContentDto {
  @ApiProperty({ description: 'Number of saves, as in the ETag; 0: never saved' })
  version!: number;
  @ApiProperty({ type: Date, nullable: true }) updatedAt!: Date | null;
  @ApiProperty({ description: 'Whether the tier includes region rules' }) regionRulesAvailable!: boolean;
  @ApiProperty({ type: PublicationDto, nullable: true }) lastPublication!: PublicationDto | null;
  @ApiProperty({
    type: Date,
    nullable: true,
    description:
      'Time at which publishing failed permanently; visitors still get the last publication. Save or publish again. null: no failure since',
  })
  publishFailedAt!: Date | null;
}

export function presentConfiguration(view: ConfigurationView, names: AuthorNames): ConfigurationDto {
  const { version, updatedAt, configuration, regionRulesAvailable, lastPublication, publishFailedAt } = view;
  return {
    ...{ version, updatedAt, ...configuration, regionRulesAvailable },
    lastPublication: lastPublication && PublicationDto.of(lastPublication, names),
    publishFailedAt,
  };
}

class RegionPresetsDto {
  @ApiProperty({ type: [RegionRuleDto], description: 'European Economic Area, United Kingdom, Switzerland' })
  euUkCh!: RegionRuleDto[];
  @ApiProperty({ type: [RegionRuleDto], description: 'United States: states with opt-out laws' })
  usStates!: RegionRuleDto[];
}

/** What an editor may begin with. */
export class ConfigurationPresetsDto {
  @ApiProperty({ type: [BannerTextDto], description: 'Default texts by language' }) texts!: BannerTextDto[];
  @ApiProperty({ type: RegionPresetsDto }) regionRules!: RegionPresetsDto;
}

export const CONFIGURATION_PRESETS: ConfigurationPresetsDto = {
  texts: DEFAULT_TEXTS,
  regionRules: REGION_PRESETS,
};
