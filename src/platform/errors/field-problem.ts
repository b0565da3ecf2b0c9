/** Codes of field errors, for programs that display their own texts (ADR 48). Stable once released. */
export const FIELD_CODES = [
  // By bounds: of a text's characters, of a number, of how many there are.
  'length',
  'range',
  'count',
  'not_unique',
  // By form.
  'email',
  'host_name',
  'link_token',
  'six_digits',
  'recovery_code',
  'instant',
  'language_tag',
  'version_name',
  'cookie_name',
  'path_pattern',
  'region_code',
  'web_url',
  'contrast',
  'png',
  'field_name',
  // By what else is there.
  'same_email',
  'in_the_past',
  'end_before_beginning',
  'period_too_long',
  'texts_missing',
  'configuration_too_large',
  'modes_missing',
  'modes_conflict',
  'preset_unknown',
  // Of the endpoint and its token.
  'endpoint_missing',
  'url_malformed',
  'url_not_https',
  'url_with_credentials',
  'url_with_fragment',
  'url_port',
  'host_malformed',
  'host_not_public',
  'token_missing',
  'token_required_again',
  'token_useless',
  'token_characters',
  // Of custom domains.
  'public_suffix',
  'own_host',
  'preview_host',
  'outside_project',
  // Of the addresses of a scan.
  'scan_urls_missing',
  'scan_url_malformed',
  'scan_url_outside',
  'scan_url_port',
  'scan_url_excluded',
  'scan_robots_unverified',
] as const;

export type FieldCode = (typeof FIELD_CODES)[number];

/** A code, with the bounds that were not kept where it is about some. */
export interface FieldProblem {
  code: FieldCode;
  min?: number;
  max?: number;
}

/** One field that was refused, as it stands in the `errors` list of a 422 answer; without a code the sentence is all. */
export type FieldError = { field: string; message: string } & Partial<FieldProblem>;

/** Most errors in an answer, and the longest name of a field in one: an answer stays small whatever was sent. */
export const FIELD_ERRORS_MAX = 100;
export const FIELD_CHARACTERS_MAX = 120;

/** A field's name as an answer shows it. */
export function shownField(name: string): string {
  return name.length > FIELD_CHARACTERS_MAX ? `${name.slice(0, FIELD_CHARACTERS_MAX - 1)}…` : name;
}

/** The first errors; the rest of a generator is not even computed. */
export function firstErrors(errors: Iterable<FieldError>): FieldError[] {
  const first: FieldError[] = [];
  for (const error of errors) {
    first.push(
      error.field.length > FIELD_CHARACTERS_MAX ? { ...error, field: shownField(error.field) } : error,
    );
    if (first.length === FIELD_ERRORS_MAX) break;
  }
  return first;
}

/** A check's own code, for the `context` of class-validator's options. */
export function coded(code: FieldCode, bounds: { min?: number; max?: number } = {}): FieldProblem {
  return { code, ...bounds };
}
