import { ApiProperty } from '@nestjs/swagger';
import type { ConfigurationView } from '../application/configuration.service.js';
import { CATEGORIES, type Category } from '../domain/banner-text.js';
import type { BlockingPolicy } from '../domain/blocking-policy.js';
import type { SiteConfiguration } from '../domain/configuration.js';
import { CONSENT_MODES, type ConsentMode } from '../domain/consent-modes.js';
import { DEFAULT_TEXTS } from '../domain/default-texts.js';
import { REGION_PRESETS } from '../domain/region-preset.js';
import {
  BannerSettingsBody,
  BannerTextBody,
  BlockingRuleBody,
  BlockingSettingsBody,
  SiteServiceBody,
} from './configuration-parts.dto.js';
import { type AuthorNames, CurrentPublicationResponse, PublicationResponse } from './publication.dto.js';
import {
  CategoryModesBody,
  PresetReferenceContentResponse,
  RegionPresetResponse,
  RegionRuleContentResponse,
} from './region-rule.dto.js';
import { SignalSettingsBody } from './signals.dto.js';

export class PublishRequestedResponse {
  @ApiProperty() queued!: boolean;
}

/** A configuration without its metadata. */
export class ConfigurationContentResponse implements SiteConfiguration {
  @ApiProperty({ example: '2026-12' }) policyVersion!: string;
  @ApiProperty({ example: '1' }) bannerVersion!: string;
  @ApiProperty({ type: String, nullable: true, example: 'https://shop.example/privacy' }) policyUrl!:
    string | null;
  @ApiProperty({ example: 'en' }) defaultLanguage!: string;
  @ApiProperty({ type: [BannerTextBody] }) texts!: BannerTextBody[];
  @ApiProperty({ enum: CATEGORIES, isArray: true, example: ['analytics', 'marketing', 'preferences'] })
  categories!: Category[];
  @ApiProperty({ enum: CONSENT_MODES, description: 'The strictest of `defaultModes`' })
  defaultMode!: ConsentMode;
  @ApiProperty({ type: CategoryModesBody }) defaultModes!: CategoryModesBody;
  @ApiProperty({ type: PresetReferenceContentResponse, nullable: true, description: 'null: set by hand' })
  defaultPreset!: PresetReferenceContentResponse | null;
  @ApiProperty({ type: [RegionRuleContentResponse] }) regionRules!: RegionRuleContentResponse[];
  @ApiProperty({ description: 'Whether new versions of presets apply without a save' })
  presetUpdates!: boolean;
  @ApiProperty() honorGlobalPrivacyControl!: boolean;
  @ApiProperty({ description: 'Whether page visits are counted' }) siteAnalytics!: boolean;
  @ApiProperty({ type: [SiteServiceBody] }) services!: SiteServiceBody[];
  @ApiProperty({ example: 12 }) reconsentMonths!: number;
  @ApiProperty({ type: BannerSettingsBody }) banner!: BannerSettingsBody;
  @ApiProperty({ type: BlockingSettingsBody }) blocking!: BlockingSettingsBody;
  @ApiProperty({ type: SignalSettingsBody }) signals!: SignalSettingsBody;
}

export class ConfigurationResponse extends ConfigurationContentResponse {
  @ApiProperty({ description: 'Number of saves, as in the ETag; 0: never saved', example: 4 })
  version!: number;
  @ApiProperty({ type: Date, nullable: true, example: '2026-12-01T09:30:00.000Z' }) updatedAt!: Date | null;
  @ApiProperty({ description: 'Whether the tier includes region rules' }) regionRulesAvailable!: boolean;
  @ApiProperty({ type: CurrentPublicationResponse, nullable: true })
  lastPublication!: CurrentPublicationResponse | null;
  @ApiProperty({
    type: Date,
    nullable: true,
    description:
      'Time at which publishing failed permanently; visitors still get the last publication. Save or publish again. null: no failure since',
  })
  publishFailedAt!: Date | null;
}

export function presentConfiguration(view: ConfigurationView, names: AuthorNames): ConfigurationResponse {
  const { version, updatedAt, configuration, regionRulesAvailable, lastPublication, publishFailedAt } = view;
  return {
    version,
    updatedAt,
    ...configuration,
    regionRulesAvailable,
    lastPublication: lastPublication && {
      ...PublicationResponse.of(lastPublication, names),
      liveSince: lastPublication.liveSince,
    },
    publishFailedAt,
  };
}

/** Sources of a Content-Security-Policy by category. */
class PolicySourcesResponse implements Record<Category, string[]> {
  @ApiProperty({ type: [String] }) analytics!: string[];
  @ApiProperty({ type: [String], example: ['tracker.example.com', '*.tracker.example.com'] })
  marketing!: string[];
  @ApiProperty({ type: [String] }) preferences!: string[];
}

export class BlockingPolicyResponse implements BlockingPolicy {
  @ApiProperty({
    description: 'Value of the header for visitors who have granted nothing',
    example: "default-src 'self' 'unsafe-inline' data: blob: https://consent.example.com; form-action 'self'",
  })
  beforeConsent!: string;
  @ApiProperty({ description: 'Sources to add to both directives once a category is granted' })
  byCategory!: PolicySourcesResponse;
  @ApiProperty({
    type: [BlockingRuleBody],
    description: 'Rules that a policy cannot express; the header allows nothing for them',
  })
  leftOut!: BlockingRuleBody[];
}

/** Starting points for an editor. */
export class PresetsResponse {
  @ApiProperty({ type: [BannerTextBody], description: 'Default texts by language' }) texts!: BannerTextBody[];
  @ApiProperty({ type: [RegionPresetResponse], description: 'By law; the first that names a region applies' })
  regionPresets!: RegionPresetResponse[];
}

export const CONFIGURATION_PRESETS: PresetsResponse = {
  texts: DEFAULT_TEXTS,
  regionPresets: REGION_PRESETS.map((preset) => preset),
};
