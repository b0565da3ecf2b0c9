import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { TextLine } from '../../../platform/http/text.decorator.js';
import { BANNER_BACKGROUNDS, COLOR, CONTRAST_MIN, contrastOf } from '../domain/contrast.js';
import { LOGO_CHARACTERS_MAX, LOGO_PATTERN, logoFile } from '../domain/logo.js';
import { LOGO_BYTES_MAX } from '../domain/publishing.limits.js';
import { coded } from '../../../platform/errors/field-problem.js';
import { described, patternOf } from '../../../platform/openapi/schema-of-checks.js';

export const LABEL_CHARACTERS_MAX = 80;
export const TITLE_CHARACTERS_MAX = 200;
export const DESCRIPTION_CHARACTERS_MAX = 2_000;
/** A sentence or two for the history. */
const COMMENT_CHARACTERS_MAX = 500;
const POLICY_URL_CHARACTERS_MAX = 2_048;

/** A name that a person chooses, such as a version. */
export const VERSION_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const LANGUAGE_TAG = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;
// oxlint-disable-next-line no-control-regex -- control characters are what this refuses; a line break is fine
const CONTROL_CHARACTER = /[\u0000-\u0009\u000b-\u001f\u007f]/;

/** In a schema: something other than blanks, and no control characters but line breaks. */
const TEXT = String.raw`^[^\u0000-\u0009\u000b-\u001f\u007f]*[^\s\u0000-\u001f\u007f][^\u0000-\u0009\u000b-\u001f\u007f]*$`;
const WEB_URL = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s]+$';

/** What `isLine` is in a schema. */
export const textSchema = (maxLength: number): Record<string, unknown> => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: TEXT,
});

/** Text that is not empty, in what a page shows and a database holds. */
export const isLine = (value: unknown, max: number): boolean =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  Array.from(value.slice(0, 2 * max + 1)).length <= max &&
  value.isWellFormed() &&
  !CONTROL_CHARACTER.test(value);

/** Text that a page shows and a database holds: line breaks, but no other control characters or half surrogates. */
export const BannerLine = (max: number, example: string): PropertyDecorator =>
  applyDecorators(ApiProperty({ minLength: 1, maxLength: max, example }), checkLine(max));

/** As above; it may be absent. */
export const OptionalLine = (max: number, example: string): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional({ minLength: 1, maxLength: max, example }), IfGiven(), checkLine(max));

const checkLine = (max: number): PropertyDecorator =>
  ValidateBy(
    {
      name: 'bannerLine',
      constraints: described(textSchema(max)),
      validator: {
        validate: (value: unknown) => isLine(value, max),
        defaultMessage: () => `$property must be text of 1 to ${max} characters, without control characters`,
      },
    },
    { context: coded('length', { min: 1, max }) },
  );

/** An author's comment on a publication; absent: none. */
export const Comment = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      maxLength: COMMENT_CHARACTERS_MAX,
      description: 'Comment for the publication history',
    }),
    IfGiven(),
    TextLine({ min: 1, max: COMMENT_CHARACTERS_MAX }),
  );

/** The address of a policy, or null; absent is null. */
export function PolicyUrl(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, maxLength: POLICY_URL_CHARACTERS_MAX }),
    ValidateIf((_, value: unknown) => value !== undefined && value !== null),
    ValidateBy(
      {
        name: 'policyUrl',
        constraints: described({ format: 'uri', pattern: WEB_URL }),
        validator: {
          validate: (value: unknown) => isWebUrl(value),
          defaultMessage: () =>
            `$property must be an http or https URL of at most ${POLICY_URL_CHARACTERS_MAX} characters, or null`,
        },
      },
      { context: coded('web_url', { max: POLICY_URL_CHARACTERS_MAX }) },
    ),
  );
}

/** A colour that can be read on the banner's background (WCAG 2.2, 1.4.3). */
export const Accent = (theme: keyof typeof BANNER_BACKGROUNDS, byDefault: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      example: byDefault,
      default: byDefault,
      pattern: patternOf(COLOR),
      description: `Contrast of at least ${CONTRAST_MIN} to ${BANNER_BACKGROUNDS[theme]}`,
    }),
    ValidateBy(
      {
        name: 'accent',
        constraints: described({ type: 'string', pattern: patternOf(COLOR) }),
        validator: {
          validate: (value: unknown) =>
            typeof value === 'string' &&
            COLOR.test(value) &&
            contrastOf(value, BANNER_BACKGROUNDS[theme]) >= CONTRAST_MIN,
          defaultMessage: (given) =>
            typeof given?.value === 'string' && COLOR.test(given.value)
              ? `$property has a contrast of ${contrastOf(given.value, BANNER_BACKGROUNDS[theme]).toFixed(1)} to the ` +
                `banner's ${theme} background; at least ${CONTRAST_MIN} is required`
              : '$property must be a color such as #30507a',
        },
      },
      { context: coded('contrast', { min: CONTRAST_MIN }) },
    ),
  );

/** A PNG as a `data:` URL, or null; absent is null. */
export const Logo = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: String,
      nullable: true,
      default: null,
      maxLength: LOGO_CHARACTERS_MAX,
      example: null,
      description: `A PNG of at most ${LOGO_BYTES_MAX} bytes as a data URL. It is published as a file.`,
    }),
    ValidateIf((_, value: unknown) => value !== undefined && value !== null),
    ValidateBy(
      {
        name: 'logo',
        constraints: described({ type: 'string', pattern: LOGO_PATTERN }),
        validator: {
          validate: (value: unknown) => typeof value === 'string' && logoFile(value) !== null,
          defaultMessage: () =>
            `$property must be a PNG of at most ${LOGO_BYTES_MAX} bytes as a data URL, or null`,
        },
      },
      { context: coded('png', { max: LOGO_BYTES_MAX }) },
    ),
  );

/** The required value: the member, or the whole if it is not an object. */
export function memberOf(value: unknown, member: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : value;
}

function isWebUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > POLICY_URL_CHARACTERS_MAX || !value.isWellFormed())
    return false;
  if (CONTROL_CHARACTER.test(value) || value.includes('\n') || !URL.canParse(value)) return false;
  return ['http:', 'https:'].includes(new URL(value).protocol);
}
