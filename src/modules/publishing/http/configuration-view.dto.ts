import { ApiProperty } from '@nestjs/swagger';
import type { ConfigurationView } from '../application/configuration.service.js';
import { CATEGORIES, type Category } from '../domain/banner-text.js';
import type { SiteConfiguration } from '../domain/configuration.js';
import { CONSENT_MODES, type ConsentMode } from '../domain/consent-modes.js';
import { DEFAULT_TEXTS } from '../domain/default-texts.js';
import { REGION_PRESETS } from '../domain/region-preset.js';
import {
  BannerSettingsDto,
  BannerTextDto,
  BlockingSettingsDto,
  SiteServiceDto,
} from './configuration-parts.dto.js';
import { type AuthorNames, PublicationDto } from './publication.dto.js';
import {
  CategoryModesDto,
  PresetReferenceContentDto,
  RegionPresetDto,
  RegionRuleContentDto,
} from './region-rule.dto.js';
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
  @ApiProperty({ enum: CONSENT_MODES, description: 'The strictest of `defaultModes`' })
  defaultMode!: ConsentMode;
  @ApiProperty({ type: CategoryModesDto }) defaultModes!: CategoryModesDto;
  @ApiProperty({ type: PresetReferenceContentDto, nullable: true, description: 'null: set by hand' })
  defaultPreset!: PresetReferenceContentDto | null;
  @ApiProperty({ type: [RegionRuleContentDto] }) regionRules!: RegionRuleContentDto[];
  @ApiProperty({ description: 'Whether new versions of presets apply without a save' })
  presetUpdates!: boolean;
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

/** What an editor may begin with. */
export class ConfigurationPresetsDto {
  @ApiProperty({ type: [BannerTextDto], description: 'Default texts by language' }) texts!: BannerTextDto[];
  @ApiProperty({ type: [RegionPresetDto], description: 'By law; the first that names a region applies' })
  regionPresets!: RegionPresetDto[];
}

export const CONFIGURATION_PRESETS: ConfigurationPresetsDto = {
  texts: DEFAULT_TEXTS,
  regionPresets: REGION_PRESETS.map((preset) => preset),
};
