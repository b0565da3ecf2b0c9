import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayUnique, IsBoolean, IsIn, IsString, Matches, ValidateIf } from 'class-validator';
import { fieldErrors } from '../../../platform/errors/domain-error.js';
import { coded, type FieldError } from '../../../platform/errors/field-problem.js';
import { ListOf, ObjectOf } from '../../../platform/http/body-shape.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { Integer } from '../../../platform/http/integer.decorator.js';
import type { ConfigurationView } from '../application/configuration.service.js';
import { CATEGORIES, type Category } from '../domain/banner-text.js';
import type { BlockingPolicy } from '../domain/blocking.js';
import { DEFAULT_CONFIGURATION, type SiteConfiguration } from '../domain/configuration.js';
import { CONSENT_MODES, type ConsentMode } from '../domain/consent-modes.js';
import { defaultTexts } from '../domain/default-texts.js';
import { DEFAULT_LANGUAGES } from '../domain/text-language.js';
import { CONFIGURATION_BYTES_MAX } from '../domain/publishing.limits.js';
import { SERVICES_MAX } from '../../../platform/identity/service-id.js';
import { REGION_PRESETS, withPresetModes } from '../domain/region-preset.js';
import { withServiceIds } from '../domain/service-ids.js';
import { Comment, LANGUAGE_TAG, memberOf, PolicyUrl, VERSION_NAME } from './configuration-fields.js';
import {
  BannerSettingsBody,
  BannerTextBody,
  BlockingRuleBody,
  BlockingSettingsBody,
  LANGUAGES_MAX,
  SignalSettingsBody,
  SiteServiceBody,
} from './configuration-parts.dto.js';
import { type AuthorNames, CurrentPublicationResponse, PublicationResponse } from './publication.dto.js';
import {
  CategoryModesBody,
  modesGiven,
  PresetReferenceBody,
  PresetReferenceContentResponse,
  RegionPresetResponse,
  RegionRuleBody,
  RegionRuleContentResponse,
  regionRuleOf,
} from './region-rule.dto.js';

const REGION_RULES_MAX = 50;
/** Browsers keep what a site stores no longer than 13 months; a year and a bit is what authorities suggest. */
const RECONSENT_MONTHS_MAX = 13;

/** A whole configuration: absent members get the default. */
export class ConfigurationBody {
  @ApiPropertyOptional({ default: DEFAULT_CONFIGURATION.policyVersion })
  @IfGiven()
  @IsString()
  @Matches(VERSION_NAME, {
    message: 'policyVersion must be 1 to 64 letters, digits or any of . _ -',
    context: coded('version_name'),
  })
  policyVersion?: string;

  @ApiPropertyOptional({ default: DEFAULT_CONFIGURATION.bannerVersion })
  @IfGiven()
  @IsString()
  @Matches(VERSION_NAME, {
    message: 'bannerVersion must be 1 to 64 letters, digits or any of . _ -',
    context: coded('version_name'),
  })
  bannerVersion?: string;

  @PolicyUrl()
  policyUrl?: string | null;

  @ApiPropertyOptional({
    default: DEFAULT_CONFIGURATION.defaultLanguage,
    description: 'One of the languages of `texts`; otherwise 422 with the code `texts_missing`',
  })
  @IfGiven()
  @IsString()
  @Matches(LANGUAGE_TAG, {
    message: 'defaultLanguage must be a language tag such as en or pt-BR',
    context: coded('language_tag'),
  })
  defaultLanguage?: string;

  @ApiPropertyOptional({
    type: [BannerTextBody],
    description:
      'The words of the banner, once per language; one of them is `defaultLanguage`. Absent: our own, in English',
  })
  @IfGiven()
  @ListOf({ min: 1, max: LANGUAGES_MAX, of: () => BannerTextBody })
  @ArrayUnique((text: unknown) => memberOf(text, 'language'), {
    message: 'texts must not repeat a language',
  })
  texts?: BannerTextBody[];

  @ApiPropertyOptional({ enum: CATEGORIES, isArray: true, description: 'Categories offered by the banner' })
  @IfGiven()
  @ListOf({ max: CATEGORIES.length })
  @ArrayUnique()
  @IsIn(CATEGORIES, { each: true })
  categories?: Category[];

  @ApiPropertyOptional({
    enum: CONSENT_MODES,
    default: DEFAULT_CONFIGURATION.defaultMode,
    description: 'The mode of all categories. With `defaultModes`: the strictest of them',
  })
  @IfGiven()
  @IsIn(CONSENT_MODES)
  defaultMode?: ConsentMode;

  @ApiPropertyOptional({
    type: CategoryModesBody,
    description: 'The mode of each category where no region rule applies, on every tier',
  })
  @IfGiven()
  @ObjectOf(() => CategoryModesBody)
  defaultModes?: CategoryModesBody;

  @ApiPropertyOptional({
    type: PresetReferenceBody,
    nullable: true,
    default: null,
    description: 'Sets the default modes, on each day as it says; null: none',
  })
  @IfGiven()
  @ValidateIf((_, value) => value !== null)
  @ObjectOf(() => PresetReferenceBody)
  defaultPreset?: PresetReferenceBody | null;

  @ApiPropertyOptional({
    type: [RegionRuleBody],
    description: 'The first matching rule applies; requires a tier with geo-targeting',
  })
  @IfGiven()
  @ListOf({ max: REGION_RULES_MAX, of: () => RegionRuleBody })
  regionRules?: RegionRuleBody[];

  @ApiPropertyOptional({
    default: DEFAULT_CONFIGURATION.presetUpdates,
    description: 'Whether new versions of presets apply without a save',
  })
  @IfGiven()
  @IsBoolean()
  presetUpdates?: boolean;

  @ApiPropertyOptional({
    default: DEFAULT_CONFIGURATION.honorGlobalPrivacyControl,
    description: 'Of the default modes, and of region rules that do not say otherwise',
  })
  @IfGiven()
  @IsBoolean()
  honorGlobalPrivacyControl?: boolean;

  @ApiPropertyOptional({
    default: DEFAULT_CONFIGURATION.siteAnalytics,
    description: 'Whether page visits are counted, without identifiers',
  })
  @IfGiven()
  @IsBoolean()
  siteAnalytics?: boolean;

  @ApiPropertyOptional({ type: [SiteServiceBody], description: 'Services listed on the second layer' })
  @IfGiven()
  @ListOf({ max: SERVICES_MAX, of: () => SiteServiceBody })
  services?: SiteServiceBody[];

  @ApiPropertyOptional({
    default: DEFAULT_CONFIGURATION.serviceChoice,
    description: 'Whether visitors choose by service on the second layer, and records have `services`',
  })
  @IfGiven()
  @IsBoolean()
  serviceChoice?: boolean;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: RECONSENT_MONTHS_MAX,
    default: DEFAULT_CONFIGURATION.reconsentMonths,
    description: 'Months after which visitors are asked again',
  })
  @IfGiven()
  @Integer({ min: 1, max: RECONSENT_MONTHS_MAX })
  reconsentMonths?: number;

  @ApiPropertyOptional({
    type: BannerSettingsBody,
    description: 'Appearance of our banner, and whether it is used',
  })
  @IfGiven()
  @ObjectOf(() => BannerSettingsBody)
  banner?: BannerSettingsBody;

  @ApiPropertyOptional({
    type: BlockingSettingsBody,
    description: 'What `blocker.js` blocks until its category is granted (docs/scans.md)',
  })
  @IfGiven()
  @ObjectOf(() => BlockingSettingsBody)
  blocking?: BlockingSettingsBody;

  @ApiPropertyOptional({
    type: SignalSettingsBody,
    description: 'Which other systems learn of the visitor’s choice (docs/signals.md)',
  })
  @IfGiven()
  @ObjectOf(() => SignalSettingsBody)
  signals?: SignalSettingsBody;
}

/** A configuration that is to be published. */
export class SaveConfigurationBody extends ConfigurationBody {
  @Comment() comment?: string;

  @ApiPropertyOptional({
    description:
      'Version of the draft that is published; the draft is then deleted. Omit to keep an existing draft.',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  })
  @IfGiven()
  @Integer({ min: 0 })
  draftVersion?: number;

  @ApiPropertyOptional({
    default: false,
    description: 'Publish although visitors see some texts in another language (`texts_incomplete`)',
  })
  @IfGiven()
  @IsBoolean()
  confirmMissingTexts?: boolean;
}

/** A configuration that is kept, and not published yet. */
export class SaveDraftBody extends ConfigurationBody {
  @ApiProperty({
    description: 'Version of the configuration that the draft is based on',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  })
  @Integer({ min: 0 })
  basedOn!: number;
}

export class RollBackBody {
  @Comment() comment?: string;
}

/**
 * The configuration that a body describes.
 * @throws DomainError `validation_failed` for what only the whole shows.
 */
export function configurationOf(body: ConfigurationBody): SiteConfiguration {
  const now = new Date();
  const given = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => name in DEFAULT_CONFIGURATION && value !== undefined),
  );
  // Plain objects, because saved configurations are compared and stored as JSON.
  const configuration = withPresetModes(
    JSON.parse(
      JSON.stringify({ ...DEFAULT_CONFIGURATION, ...given, ...modesOf(body, now) }),
    ) as SiteConfiguration,
    now,
  );
  if (!configuration.texts.some(({ language }) => language === configuration.defaultLanguage))
    throw fieldErrors([
      {
        field: 'defaultLanguage',
        message: 'Add texts in the default language, or choose another one.',
        code: 'texts_missing',
      },
    ]);
  const problems = serviceProblems(configuration);
  if (problems.length > 0) throw fieldErrors(problems);
  if (Buffer.byteLength(JSON.stringify(configuration)) > CONFIGURATION_BYTES_MAX)
    throw fieldErrors([
      {
        field: 'texts',
        message: `The configuration is larger than ${CONFIGURATION_BYTES_MAX} bytes.`,
        code: 'configuration_too_large',
        max: CONFIGURATION_BYTES_MAX,
      },
    ]);
  return configuration;
}

/** Ids that services share, and blocking rules of services that are not listed in their category. */
function serviceProblems({ services, blocking }: SiteConfiguration): FieldError[] {
  const known = withServiceIds(services);
  return [
    ...known.flatMap(({ id }, index): FieldError[] =>
      known.findIndex((each) => each.id === id) === index
        ? []
        : [
            {
              field: `services.${index}.id`,
              message: 'Another service has this id.',
              code: 'not_unique',
            },
          ],
    ),
    ...blocking.rules.flatMap(({ service, category }, index): FieldError[] =>
      !service || known.some((each) => each.id === service && each.category === category)
        ? []
        : [
            {
              field: `blocking.rules.${index}.service`,
              message: 'No service of this category has this id.',
              code: 'service_unknown',
            },
          ],
    ),
  ];
}

function modesOf(
  body: ConfigurationBody,
  now: Date,
): Partial<Pick<SiteConfiguration, 'defaultMode' | 'defaultModes' | 'defaultPreset' | 'regionRules'>> {
  const byDefault = modesGiven(
    { mode: body.defaultMode, modes: body.defaultModes, preset: body.defaultPreset },
    { mode: 'defaultMode', preset: 'defaultPreset' },
    now,
  );
  return {
    ...(byDefault && {
      defaultMode: byDefault.mode,
      defaultModes: byDefault.modes,
      defaultPreset: byDefault.preset,
    }),
    regionRules: (body.regionRules ?? []).map((rule, index) => regionRuleOf(rule, index, now)),
  };
}

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
  @ApiProperty({ description: 'Whether visitors choose by service' }) serviceChoice!: boolean;
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

const LANGUAGE_LIST = new RegExp(
  `^(${LANGUAGE_TAG.source.slice(1, -1)}(,${LANGUAGE_TAG.source.slice(1, -1)}){0,${LANGUAGES_MAX - 1}})?$`,
);

export class PresetsQuery {
  @ApiPropertyOptional({
    description: 'Languages of `texts`, separated by commas (BCP 47); empty: none. Without it: all',
    example: 'en,pt-BR',
  })
  @IfGiven()
  @Matches(LANGUAGE_LIST, { message: `must be at most ${LANGUAGES_MAX} language tags, separated by commas` })
  languages?: string;
}

/** Starting points for an editor. */
export class PresetsResponse {
  @ApiProperty({
    type: [String],
    description: 'All languages that have default texts',
    example: ['en', 'de'],
  })
  languages!: string[];
  @ApiProperty({ type: [BannerTextBody], description: 'Default texts by language' }) texts!: BannerTextBody[];
  @ApiProperty({ type: [RegionPresetResponse], description: 'By law; the first that names a region applies' })
  regionPresets!: RegionPresetResponse[];
}

export const configurationPresets = ({ languages }: PresetsQuery): PresetsResponse => ({
  languages: [...DEFAULT_LANGUAGES],
  texts: defaultTexts(languages?.split(',')),
  regionPresets: REGION_PRESETS.map((preset) => preset),
});
