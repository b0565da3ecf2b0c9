/** Codes of field errors, for programs that display their own texts (ADR 48). Stable once released. */
export const FIELD_CODES = [
  // Bounds: of a text's characters, of a number, of a count.
  'length',
  'range',
  'count',
  'not_unique',
  // Format.
  'email',
  'host_name',
  'link_token',
  'six_digits',
  'recovery_code',
  'instant',
  'language_tag',
  'version_name',
  'cookie_name',
  'service_id',
  'path_pattern',
  'region_code',
  'web_url',
  'contrast',
  'png',
  'field_name',
  // Conflicts with existing data.
  'same_email',
  'in_the_past',
  'end_before_beginning',
  'period_too_long',
  'texts_missing',
  'configuration_too_large',
  'modes_missing',
  'modes_conflict',
  'preset_unknown',
  'service_id_former',
  'service_unknown',
  // The endpoint and its token.
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
  // Custom domains.
  'public_suffix',
  'too_many_labels',
  'own_host',
  'preview_host',
  'outside_project',
  // The addresses of a scan.
  'scan_urls_missing',
  'scan_url_malformed',
  'scan_url_outside',
  'scan_url_port',
  'scan_url_excluded',
  'scan_robots_unverified',
] as const;

export type FieldCode = (typeof FIELD_CODES)[number];

/** A code, with the violated bounds, if any. */
export interface FieldProblem {
  code: FieldCode;
  min?: number;
  max?: number;
}

/** A refused field in the `errors` list of a 422 response; without a code, only the sentence. */
export type FieldError = { field: string; message: string } & Partial<FieldProblem>;

/**
 * Most errors in a response, and the longest field name in one, so that a response stays small for
 * any input.
 */
export const FIELD_ERRORS_MAX = 100;
export const FIELD_CHARACTERS_MAX = 120;

/** A field's name in a response. */
export function shownField(name: string): string {
  return name.length > FIELD_CHARACTERS_MAX ? `${name.slice(0, FIELD_CHARACTERS_MAX - 1)}…` : name;
}

/** The first errors; the rest of a generator is not computed. */
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
