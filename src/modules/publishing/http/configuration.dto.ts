import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayUnique, IsBoolean, IsIn, IsString, Matches, ValidateIf } from 'class-validator';
import { fieldErrors } from '../../../platform/errors/domain-error.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { Integer } from '../../../platform/http/integer.decorator.js';
import { ListOf, ObjectOf } from '../../../platform/http/body-shape.js';
import { CATEGORIES, type Category } from '../domain/banner-text.js';
import { DEFAULT_CONFIGURATION, type SiteConfiguration } from '../domain/configuration.js';
import { CONSENT_MODES, type ConsentMode } from '../domain/consent-modes.js';
import { withPresetModes } from '../domain/preset-modes.js';
import { CONFIGURATION_BYTES_MAX, SERVICES_MAX } from '../domain/publishing.limits.js';
import { Comment, LANGUAGE_TAG, memberOf, PolicyUrl, VERSION_NAME } from './configuration-fields.js';
import {
  BannerSettingsBody,
  BannerTextBody,
  BlockingSettingsBody,
  LANGUAGES_MAX,
  SiteServiceBody,
} from './configuration-parts.dto.js';
import {
  CategoryModesBody,
  modesGiven,
  PresetReferenceBody,
  RegionRuleBody,
  regionRuleOf,
} from './region-rule.dto.js';
import { SignalSettingsBody } from './signals.dto.js';
import { coded } from '../../../platform/errors/field-problem.js';

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
  if (!configuration.texts.some(({ language }) => language === configuration.defaultLanguage)) {
    throw fieldErrors([
      {
        field: 'defaultLanguage',
        message: 'Add texts in the default language, or choose another one.',
        code: 'texts_missing',
      },
    ]);
  }
  if (Buffer.byteLength(JSON.stringify(configuration)) > CONFIGURATION_BYTES_MAX) {
    throw fieldErrors([
      {
        field: 'texts',
        message: `The configuration is larger than ${CONFIGURATION_BYTES_MAX} bytes.`,
        code: 'configuration_too_large',
        max: CONFIGURATION_BYTES_MAX,
      },
    ]);
  }
  return configuration;
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
