import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayUnique,
  IsBoolean,
  IsIn,
  IsObject,
  IsString,
  Matches,
  MaxLength,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { coded } from '../../../platform/errors/field-problem.js';
import { ListOf } from '../../../platform/http/body-shape.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { Integer } from '../../../platform/http/integer.decorator.js';
import { SERVICE_ID } from '../../../platform/identity/service-id.js';
import { described } from '../../../platform/openapi/schema-of-checks.js';
import { type BannerText, CATEGORIES, type Category, LABELS, type Labels } from '../domain/banner-text.js';
import {
  BLOCKED_HOST,
  BLOCKED_HOST_CHARACTERS_MAX,
  BLOCKED_PATH,
  BLOCKED_PATH_CHARACTERS_MAX,
  BLOCKING_RULES_MAX,
} from '../domain/blocking.js';
import {
  BANNER_FONTS,
  BANNER_LAYOUTS,
  BANNER_POSITIONS,
  BANNER_THEMES,
  type BannerSettings,
  type BlockingRule,
  type BlockingSettings,
  type CookieTranslation,
  DEFAULT_CONFIGURATION,
  LINK_POSITIONS,
  RADIUS_MAX_PX,
  SECONDARY_BUTTONS,
  SERVICE_CATEGORIES,
  type ServiceCategory,
  type ServiceCookie,
  type ServiceTranslation,
  type SiteService,
} from '../domain/configuration.js';
import {
  COOKIES_PER_SERVICE_MAX,
  DECLARED_COOKIE,
  DECLARED_COOKIE_CHARACTERS_MAX,
} from '../domain/publishing.limits.js';
import { SIGNALS_OFF, type SignalSettings } from '../domain/signals.js';
import {
  Accent,
  BannerLine,
  DESCRIPTION_CHARACTERS_MAX,
  isLine,
  LABEL_CHARACTERS_MAX,
  LANGUAGE_TAG,
  Logo,
  memberOf,
  OptionalLine,
  PolicyUrl,
  textSchema,
  TITLE_CHARACTERS_MAX,
  VERSION_NAME,
} from './configuration-fields.js';

/** As many as there may be texts. */
export const LANGUAGES_MAX = 50;

const BANNER = DEFAULT_CONFIGURATION.banner;

/** Every check of a member runs, independent of the others' results, so this one may get `null`. */
const areLabels = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(
    ([name, text]) => LABELS.includes(name as keyof Labels) && isLine(text, DESCRIPTION_CHARACTERS_MAX),
  );

const Language = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ example: 'en', description: 'BCP 47' }),
    IsString(),
    Matches(LANGUAGE_TAG, {
      message: '$property must be a language tag such as en or pt-BR',
      context: coded('language_tag'),
    }),
  );

/** Translations of one thing, once per language. */
const Translations = (of: () => new () => object): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: [of()],
      default: [],
      description: 'Once per language of `texts`. What is absent is shown in the default language.',
    }),
    IfGiven(),
    ListOf({ max: LANGUAGES_MAX, of }),
    ArrayUnique((translation: unknown) => memberOf(translation, 'language'), {
      message: '$property must not repeat a language',
    }),
  );

export class CategoryTextBody {
  @ApiProperty({ enum: CATEGORIES })
  @IsIn(CATEGORIES)
  key!: Category;

  @BannerLine(TITLE_CHARACTERS_MAX, 'Analytics')
  title!: string;

  @BannerLine(DESCRIPTION_CHARACTERS_MAX, 'Helps us understand how the site is used.')
  description!: string;
}

export class BannerTextBody implements BannerText {
  @Language() language!: string;

  @BannerLine(TITLE_CHARACTERS_MAX, 'Your privacy') title!: string;
  @BannerLine(
    DESCRIPTION_CHARACTERS_MAX,
    'We use cookies to improve this site. You can change your choice at any time.',
  )
  description!: string;
  @BannerLine(LABEL_CHARACTERS_MAX, 'Accept all') acceptAll!: string;
  @BannerLine(LABEL_CHARACTERS_MAX, 'Reject all') rejectAll!: string;
  @BannerLine(LABEL_CHARACTERS_MAX, 'Customize') choose!: string;
  @BannerLine(LABEL_CHARACTERS_MAX, 'Save choices') save!: string;

  @ApiPropertyOptional({ type: [CategoryTextBody], default: [], description: 'Each key once' })
  @IfGiven()
  @ListOf({ max: CATEGORIES.length, of: () => CategoryTextBody })
  @ArrayUnique((text: unknown) => memberOf(text, 'key'), { message: 'categories must not repeat a key' })
  categories: CategoryTextBody[] = [];

  @ApiPropertyOptional({
    type: Object,
    default: {},
    additionalProperties: { type: 'string', minLength: 1, maxLength: DESCRIPTION_CHARACTERS_MAX },
    description: `Other labels of our banner: ${LABELS.join(', ')}. Omitted labels use the default.`,
  })
  @IfGiven()
  @IsObject()
  @ValidateBy(
    {
      name: 'labels',
      constraints: described({
        propertyNames: { enum: [...LABELS] },
        additionalProperties: textSchema(DESCRIPTION_CHARACTERS_MAX),
      }),
      validator: {
        validate: areLabels,
        defaultMessage: () =>
          `labels can have ${LABELS.join(', ')}, each text of 1 to ${DESCRIPTION_CHARACTERS_MAX} characters`,
      },
    },
    { context: coded('length', { min: 1, max: DESCRIPTION_CHARACTERS_MAX }) },
  )
  labels: Partial<Labels> = {};
}

export class CookieTranslationBody implements CookieTranslation {
  @Language() language!: string;
  @OptionalLine(LABEL_CHARACTERS_MAX, '2 years') duration?: string;
  @OptionalLine(DESCRIPTION_CHARACTERS_MAX, 'Distinguishes visitors.') purpose?: string;
}

export class ServiceTranslationBody implements ServiceTranslation {
  @Language() language!: string;
  @OptionalLine(TITLE_CHARACTERS_MAX, 'Google Analytics') name?: string;
}

export class ServiceCookieBody implements ServiceCookie {
  @ApiProperty({ example: '_ga_*', description: 'Name of the cookie; a trailing * matches any suffix' })
  @IsString()
  @MaxLength(DECLARED_COOKIE_CHARACTERS_MAX)
  @Matches(DECLARED_COOKIE, {
    message: 'name must be the name of a cookie, optionally with a trailing *',
    context: coded('cookie_name'),
  })
  name!: string;

  @BannerLine(LABEL_CHARACTERS_MAX, '2 years') duration!: string;
  @BannerLine(DESCRIPTION_CHARACTERS_MAX, 'Distinguishes visitors.') purpose!: string;
  @Translations(() => CookieTranslationBody) translations: CookieTranslationBody[] = [];
}

const ServiceId = (): PropertyDecorator =>
  applyDecorators(
    IsString(),
    Matches(SERVICE_ID, {
      message:
        '$property must be a lower-case letter and at most 39 letters, digits or -, and not the name of a category',
      context: coded('service_id'),
    }),
  );

export class SiteServiceBody implements SiteService {
  @ApiPropertyOptional({
    example: 'google-analytics',
    description:
      'Stays the same where the service is renamed, and is never given to another one. Without it: that of the saved service with this name, else one made of the name',
  })
  @IfGiven()
  @ServiceId()
  id?: string;

  @BannerLine(TITLE_CHARACTERS_MAX, 'Google Analytics') name!: string;
  @BannerLine(TITLE_CHARACTERS_MAX, 'Google Ireland Limited') provider!: string;

  @ApiProperty({ enum: SERVICE_CATEGORIES, example: 'analytics' })
  @IsIn(SERVICE_CATEGORIES)
  category!: ServiceCategory;

  @PolicyUrl()
  policyUrl: string | null = null;

  @ApiPropertyOptional({ type: [ServiceCookieBody], default: [] })
  @IfGiven()
  @ListOf({ max: COOKIES_PER_SERVICE_MAX, of: () => ServiceCookieBody })
  cookies: ServiceCookieBody[] = [];

  @Translations(() => ServiceTranslationBody) translations: ServiceTranslationBody[] = [];
}

export class BannerSettingsBody implements BannerSettings {
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

  @ApiPropertyOptional({
    enum: BANNER_FONTS,
    default: BANNER.font,
    description: 'The system’s font, or the page’s own; the banner loads none',
  })
  @IfGiven()
  @IsIn(BANNER_FONTS)
  font: BannerSettings['font'] = BANNER.font;

  @Logo() logo: string | null = BANNER.logo;

  @Accent('light', BANNER.accent) accent: string = BANNER.accent;
  @Accent('dark', BANNER.accentDark) accentDark: string = BANNER.accentDark;

  @ApiPropertyOptional({ default: BANNER.radius, description: 'Of the buttons’ corners, in px' })
  @IfGiven()
  @Integer({ min: 0, max: RADIUS_MAX_PX })
  radius: number = BANNER.radius;

  @ApiPropertyOptional({
    enum: SECONDARY_BUTTONS,
    default: BANNER.secondaryButton,
    description: 'The look of the button that leads to the second layer',
  })
  @IfGiven()
  @IsIn(SECONDARY_BUTTONS)
  secondaryButton: BannerSettings['secondaryButton'] = BANNER.secondaryButton;

  @ApiPropertyOptional({
    default: true,
    description: 'Whether every page shows a link to the privacy settings',
  })
  @IfGiven()
  @IsBoolean()
  link: boolean = BANNER.link;

  @ApiPropertyOptional({ enum: LINK_POSITIONS, default: BANNER.linkPosition })
  @IfGiven()
  @IsIn(LINK_POSITIONS)
  linkPosition: BannerSettings['linkPosition'] = BANNER.linkPosition;

  @ApiPropertyOptional({
    default: BANNER.shareSubdomains,
    description: 'Whether a choice holds on all subdomains of the site, by the cookie `service-consent`',
  })
  @IfGiven()
  @IsBoolean()
  shareSubdomains: boolean = BANNER.shareSubdomains;
}

export class BlockingRuleBody implements BlockingRule {
  @ApiProperty({ example: 'tracker.example.com', description: 'Host in lower case; includes its subdomains' })
  @IsString()
  @MaxLength(BLOCKED_HOST_CHARACTERS_MAX)
  @Matches(BLOCKED_HOST, {
    message: 'host must be a hostname in lower case, such as tracker.example.com',
    context: coded('host_name'),
  })
  host!: string;
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    default: null,
    example: '/pixel/*',
    description: 'What the path begins with; up to two * match any characters. null: every path',
  })
  @IfGiven()
  @ValidateIf((_, value) => value !== null)
  @IsString()
  @MaxLength(BLOCKED_PATH_CHARACTERS_MAX)
  @Matches(BLOCKED_PATH, {
    message: 'path must begin with / and have no spaces and at most two *',
    context: coded('path_pattern'),
  })
  path: string | null = null;

  @ApiProperty({ enum: SERVICE_CATEGORIES, description: '`necessary`: is never blocked' })
  @IsIn(SERVICE_CATEGORIES)
  category!: ServiceCategory;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'google-analytics',
    description: 'With `serviceChoice`: the id of the service that must be granted. null: the category',
  })
  @IfGiven()
  @ValidateIf((_, value) => value !== null)
  @ServiceId()
  service?: string | null;
}

export class BlockingSettingsBody implements BlockingSettings {
  @ApiPropertyOptional({ default: false, description: 'Whether `blocker.js` blocks' })
  @IfGiven()
  @IsBoolean()
  enabled: boolean = DEFAULT_CONFIGURATION.blocking.enabled;

  @ApiPropertyOptional({
    type: [BlockingRuleBody],
    default: [],
    description: 'The first matching rule applies',
  })
  @IfGiven()
  @ListOf({ max: BLOCKING_RULES_MAX, of: () => BlockingRuleBody })
  rules: BlockingRuleBody[] = [];
}

const Signal = (description: string): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional({ default: false, description }), IfGiven(), IsBoolean());

export class SignalSettingsBody implements SignalSettings {
  @Signal('Microsoft Advertising (UET consent mode)') microsoftUet: boolean = SIGNALS_OFF.microsoftUet;
  @Signal('Microsoft Clarity (`consentv2`)') microsoftClarity: boolean = SIGNALS_OFF.microsoftClarity;
  @Signal('Meta pixel (`fbq`)') metaPixel: boolean = SIGNALS_OFF.metaPixel;
  @Signal('TikTok pixel (`ttq`)') tiktokPixel: boolean = SIGNALS_OFF.tiktokPixel;
  @Signal('WP Consent API of WordPress') wpConsentApi: boolean = SIGNALS_OFF.wpConsentApi;
  @Signal('Customer Privacy API of Shopify') shopify: boolean = SIGNALS_OFF.shopify;
  @Signal('Event in the data layer, and our Google Tag Manager template')
  dataLayer: boolean = SIGNALS_OFF.dataLayer;

  @ApiPropertyOptional({ default: SIGNALS_OFF.dataLayerEvent, description: 'Name of the event' })
  @IfGiven()
  @IsString()
  @Matches(VERSION_NAME, {
    message: 'dataLayerEvent must be 1 to 64 letters, digits or any of . _ -',
    context: coded('version_name'),
  })
  dataLayerEvent: string = SIGNALS_OFF.dataLayerEvent;

  @Signal('Google’s `url_passthrough`') googleUrlPassthrough: boolean = SIGNALS_OFF.googleUrlPassthrough;
  @Signal('Google’s `ads_data_redaction`')
  googleAdsDataRedaction: boolean = SIGNALS_OFF.googleAdsDataRedaction;
}
