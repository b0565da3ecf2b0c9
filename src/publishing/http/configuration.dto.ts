import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  Max,
  MaxLength,
  Min,
  IsString,
  Matches,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { fieldErrors } from '../../shared/domain-error.js';
import { IfGiven } from '../../shared/if-given.decorator.js';
import { type BannerText, CATEGORIES, type Category, LABELS, type Labels } from '../domain/banner-text.js';
import {
  BANNER_LAYOUTS,
  BANNER_POSITIONS,
  BANNER_THEMES,
  type BannerSettings,
  CONSENT_MODES,
  type ConsentMode,
  DEFAULT_CONFIGURATION,
  type RegionRule,
  SERVICE_CATEGORIES,
  type ServiceCategory,
  type ServiceCookie,
  type SiteConfiguration,
  type SiteService,
} from '../domain/configuration.js';
import { DEFAULT_TEXTS } from '../domain/default-texts.js';
import { BANNER_BACKGROUNDS, COLOR, CONTRAST_MIN, contrastOf } from '../domain/contrast.js';
import { REGION_PRESETS } from '../domain/region-presets.js';
import { CONFIGURATION_BYTES_MAX } from '../domain/publishing.limits.js';
import type { ConfigurationView, Publication } from '../application/configuration.service.js';

export const LANGUAGES_MAX = 50;
export const REGION_RULES_MAX = 50;
/** More countries than there are. */
export const REGIONS_PER_RULE_MAX = 260;
export const LABEL_CHARACTERS_MAX = 80;
export const TITLE_CHARACTERS_MAX = 200;
export const DESCRIPTION_CHARACTERS_MAX = 2_000;
export const POLICY_URL_CHARACTERS_MAX = 2_048;
export const SERVICES_MAX = 100;
export const COOKIES_PER_SERVICE_MAX = 30;
export const COOKIE_NAME_CHARACTERS_MAX = 100;
/** Browsers keep what a site stores no longer than 13 months; a year and a bit is what authorities suggest. */
export const RECONSENT_MONTHS_MAX = 13;

const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;
const VERSION_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const REGION = /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/;
/** A token of RFC 6265, at the end perhaps a `*` for any rest; not alone, or it would clear everything. */
const COOKIE_NAME = /^[!#$%&'+\-.^_`|~A-Za-z0-9]+\*?$/;
// oxlint-disable-next-line no-control-regex -- control characters are what this refuses; a line break is fine
const CONTROL_CHARACTER = /[\u0000-\u0009\u000b-\u001f\u007f]/;

const isLine = (value: unknown, max: number): boolean =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  value.length <= max &&
  value.isWellFormed() &&
  !CONTROL_CHARACTER.test(value);

/** Text that a page shows and a database holds: line breaks, but no other control characters or half surrogates. */
const BannerLine = (max: number): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ minLength: 1, maxLength: max }),
    ValidateBy({
      name: 'bannerLine',
      validator: {
        validate: (value: unknown) => isLine(value, max),
        defaultMessage: () => `$property must be text of 1 to ${max} characters, without control characters`,
      },
    }),
  );

/** The address of a policy, or null; absent is null. */
function PolicyUrl(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, maxLength: POLICY_URL_CHARACTERS_MAX }),
    ValidateIf((_, value: unknown) => value !== undefined && value !== null),
    ValidateBy({
      name: 'policyUrl',
      validator: {
        validate: (value: unknown) => isWebUrl(value),
        defaultMessage: () =>
          `$property must be an http or https URL of at most ${POLICY_URL_CHARACTERS_MAX} characters, or null`,
      },
    }),
  );
}

const BANNER = DEFAULT_CONFIGURATION.banner;

class CategoryTextDto {
  @ApiProperty({ enum: CATEGORIES })
  @IsIn(CATEGORIES)
  key!: Category;

  @BannerLine(TITLE_CHARACTERS_MAX)
  title!: string;

  @BannerLine(DESCRIPTION_CHARACTERS_MAX)
  description!: string;
}

class BannerTextDto implements BannerText {
  @ApiProperty({ example: 'en', description: 'BCP 47' })
  @IsString()
  @Matches(LANGUAGE, { message: 'language must be a language tag such as en or pt-BR' })
  language!: string;

  @BannerLine(TITLE_CHARACTERS_MAX) title!: string;
  @BannerLine(DESCRIPTION_CHARACTERS_MAX) description!: string;
  @BannerLine(LABEL_CHARACTERS_MAX) acceptAll!: string;
  @BannerLine(LABEL_CHARACTERS_MAX) rejectAll!: string;
  @BannerLine(LABEL_CHARACTERS_MAX) choose!: string;
  @BannerLine(LABEL_CHARACTERS_MAX) save!: string;

  @ApiPropertyOptional({ type: [CategoryTextDto], default: [] })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(CATEGORIES.length)
  @ArrayUnique((text: unknown) => memberOf(text, 'key'), { message: 'categories must name no key twice' })
  @ValidateNested({ each: true })
  @Type(() => CategoryTextDto)
  categories: CategoryTextDto[] = [];

  @ApiPropertyOptional({
    type: Object,
    default: {},
    additionalProperties: { type: 'string', minLength: 1, maxLength: DESCRIPTION_CHARACTERS_MAX },
    description: `Small words of our banner: ${LABELS.join(', ')}; what is absent is ours`,
  })
  @IfGiven()
  @IsObject()
  @ValidateBy({
    name: 'labels',
    validator: {
      validate: (value: object) =>
        Object.entries(value).every(
          ([name, text]) => LABELS.includes(name as keyof Labels) && isLine(text, DESCRIPTION_CHARACTERS_MAX),
        ),
      defaultMessage: () =>
        `labels may have ${LABELS.join(', ')}, each text of 1 to ${DESCRIPTION_CHARACTERS_MAX} characters`,
    },
  })
  labels: Partial<Labels> = {};
}

class ServiceCookieDto implements ServiceCookie {
  @ApiProperty({ example: '_ga_*', description: 'Its name; a * at the end stands for any rest' })
  @IsString()
  @MaxLength(COOKIE_NAME_CHARACTERS_MAX)
  @Matches(COOKIE_NAME, { message: 'name must be the name of a cookie, at the end perhaps a *' })
  name!: string;

  @BannerLine(LABEL_CHARACTERS_MAX) duration!: string;
  @BannerLine(DESCRIPTION_CHARACTERS_MAX) purpose!: string;
}

class SiteServiceDto implements SiteService {
  @BannerLine(TITLE_CHARACTERS_MAX) name!: string;
  @BannerLine(TITLE_CHARACTERS_MAX) provider!: string;

  @ApiProperty({ enum: SERVICE_CATEGORIES })
  @IsIn(SERVICE_CATEGORIES)
  category!: ServiceCategory;

  @PolicyUrl()
  policyUrl: string | null = null;

  @ApiPropertyOptional({ type: [ServiceCookieDto], default: [] })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(COOKIES_PER_SERVICE_MAX)
  @ValidateNested({ each: true })
  @Type(() => ServiceCookieDto)
  cookies: ServiceCookieDto[] = [];
}

/** A colour that can be read on the banner's background (WCAG 2.2, 1.4.3). */
const Accent = (theme: keyof typeof BANNER_BACKGROUNDS, byDefault: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      example: byDefault,
      default: byDefault,
      pattern: COLOR.source,
      description: `Contrast of at least ${CONTRAST_MIN} to ${BANNER_BACKGROUNDS[theme]}`,
    }),
    ValidateBy({
      name: 'accent',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' &&
          COLOR.test(value) &&
          contrastOf(value, BANNER_BACKGROUNDS[theme]) >= CONTRAST_MIN,
        defaultMessage: (given) =>
          typeof given?.value === 'string' && COLOR.test(given.value)
            ? `$property has a contrast of ${contrastOf(given.value, BANNER_BACKGROUNDS[theme]).toFixed(1)} to the ` +
              `banner's ${theme} background; readable is ${CONTRAST_MIN} and more`
            : '$property must be a colour such as #30507a',
      },
    }),
  );

class BannerSettingsDto implements BannerSettings {
  @ApiPropertyOptional({ default: false, description: 'Whether the loader shows our banner' })
  @IfGiven()
  @IsBoolean()
  enabled: boolean = BANNER.enabled;

  @ApiPropertyOptional({ enum: BANNER_LAYOUTS, default: BANNER.layout })
  @IfGiven()
  @IsIn(BANNER_LAYOUTS)
  layout: BannerSettings['layout'] = BANNER.layout;

  @ApiPropertyOptional({ enum: BANNER_POSITIONS, default: BANNER.position })
  @IfGiven()
  @IsIn(BANNER_POSITIONS)
  position: BannerSettings['position'] = BANNER.position;

  @ApiPropertyOptional({ enum: BANNER_THEMES, default: BANNER.theme })
  @IfGiven()
  @IsIn(BANNER_THEMES)
  theme: BannerSettings['theme'] = BANNER.theme;

  @Accent('light', BANNER.accent) accent: string = BANNER.accent;
  @Accent('dark', BANNER.accentDark) accentDark: string = BANNER.accentDark;

  @ApiPropertyOptional({
    default: true,
    description: 'Whether a small link on every page opens the choice again',
  })
  @IfGiven()
  @IsBoolean()
  link: boolean = BANNER.link;
}

class RegionRuleDto implements RegionRule {
  @ApiProperty({
    type: [String],
    example: ['US-CA', 'CH'],
    description: 'ISO 3166-1 alpha-2, ISO 3166-2, or EU',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(REGIONS_PER_RULE_MAX)
  @ArrayUnique()
  @IsString({ each: true })
  @Matches(REGION, { each: true, message: 'regions must be codes such as DE or US-CA, or EU' })
  regions!: string[];

  @ApiProperty({ enum: CONSENT_MODES })
  @IsIn(CONSENT_MODES)
  mode!: ConsentMode;
}

/** A whole configuration: what is absent becomes the default. */
export class SaveConfigurationDto {
  @ApiPropertyOptional({ default: DEFAULT_CONFIGURATION.policyVersion })
  @IfGiven()
  @IsString()
  @Matches(VERSION_NAME, { message: 'policyVersion must be 1 to 64 letters, digits or any of . _ -' })
  policyVersion?: string;

  @ApiPropertyOptional({ default: DEFAULT_CONFIGURATION.bannerVersion })
  @IfGiven()
  @IsString()
  @Matches(VERSION_NAME, { message: 'bannerVersion must be 1 to 64 letters, digits or any of . _ -' })
  bannerVersion?: string;

  @PolicyUrl()
  policyUrl?: string | null;

  @ApiPropertyOptional({ default: DEFAULT_CONFIGURATION.defaultLanguage })
  @IfGiven()
  @IsString()
  @Matches(LANGUAGE, { message: 'defaultLanguage must be a language tag such as en or pt-BR' })
  defaultLanguage?: string;

  @ApiPropertyOptional({ type: [BannerTextDto], description: 'The words of the banner, once per language' })
  @IfGiven()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(LANGUAGES_MAX)
  @ArrayUnique((text: unknown) => memberOf(text, 'language'), {
    message: 'texts must name no language twice',
  })
  @ValidateNested({ each: true })
  @Type(() => BannerTextDto)
  texts?: BannerTextDto[];

  @ApiPropertyOptional({ enum: CATEGORIES, isArray: true, description: 'What the banner offers' })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(CATEGORIES.length)
  @ArrayUnique()
  @IsIn(CATEGORIES, { each: true })
  categories?: Category[];

  @ApiPropertyOptional({ enum: CONSENT_MODES, default: DEFAULT_CONFIGURATION.defaultMode })
  @IfGiven()
  @IsIn(CONSENT_MODES)
  defaultMode?: ConsentMode;

  @ApiPropertyOptional({
    type: [RegionRuleDto],
    description: 'The first that names the region decides; needs a tier with geo-targeting',
  })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(REGION_RULES_MAX)
  @ValidateNested({ each: true })
  @Type(() => RegionRuleDto)
  regionRules?: RegionRuleDto[];

  @ApiPropertyOptional({ default: DEFAULT_CONFIGURATION.honorGlobalPrivacyControl })
  @IfGiven()
  @IsBoolean()
  honorGlobalPrivacyControl?: boolean;

  @ApiPropertyOptional({ type: [SiteServiceDto], description: 'What the second layer lists' })
  @IfGiven()
  @IsArray()
  @ArrayMaxSize(SERVICES_MAX)
  @ValidateNested({ each: true })
  @Type(() => SiteServiceDto)
  services?: SiteServiceDto[];

  @ApiPropertyOptional({
    minimum: 1,
    maximum: RECONSENT_MONTHS_MAX,
    default: DEFAULT_CONFIGURATION.reconsentMonths,
    description: 'After so many months a choice is asked for again',
  })
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(RECONSENT_MONTHS_MAX)
  reconsentMonths?: number;

  @ApiPropertyOptional({
    type: BannerSettingsDto,
    description: 'How our banner looks, and whether it is used',
  })
  @IfGiven()
  @IsObject()
  @ValidateNested()
  @Type(() => BannerSettingsDto)
  banner?: BannerSettingsDto;
}

/**
 * The configuration that a body describes.
 * @throws DomainError `validation_failed` for what only the whole shows.
 */
export function configurationOf(body: SaveConfigurationDto): SiteConfiguration {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  // Plain objects: what is saved is compared and stored as JSON.
  const configuration = JSON.parse(
    JSON.stringify({ ...DEFAULT_CONFIGURATION, ...given }),
  ) as SiteConfiguration;
  if (!configuration.texts.some(({ language }) => language === configuration.defaultLanguage)) {
    throw fieldErrors([
      { field: 'defaultLanguage', message: 'Give texts in the default language, or choose another one.' },
    ]);
  }
  if (Buffer.byteLength(JSON.stringify(configuration)) > CONFIGURATION_BYTES_MAX) {
    throw fieldErrors([
      { field: 'texts', message: `The configuration is larger than ${CONFIGURATION_BYTES_MAX} bytes.` },
    ]);
  }
  return configuration;
}

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

function memberOf(value: unknown, member: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : value;
}

function isWebUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > POLICY_URL_CHARACTERS_MAX || !value.isWellFormed())
    return false;
  if (CONTROL_CHARACTER.test(value) || value.includes('\n') || !URL.canParse(value)) return false;
  return ['http:', 'https:'].includes(new URL(value).protocol);
}
