import { type Messages, t } from '../i18n/i18n';

/** A refusal of the API (RFC 9457), or what kept it from answering. */
export class ApiProblem extends Error {
  constructor(
    /** The API's stable code; `unreachable` without a response. */
    readonly code: string,
    /** The API's own sentence. */
    readonly detail: string,
    readonly status: number,
    /** The refused fields. */
    readonly fields: Readonly<Record<string, string>> = {},
    /** Further members, e.g. `requiredTiers`. */
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
    this.name = 'ApiProblem';
  }
}

/** The client's error as an `ApiProblem`: a problem document, or no response. */
export function toApiProblem(error: unknown, response: Response | undefined): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (!response) return new ApiProblem('unreachable', '', 0);
  if (typeof error !== 'object' || error === null || !('code' in error))
    return new ApiProblem('internal_error', '', response.status);
  const { code, detail, errors, ...members } = error as Record<string, unknown>;
  return new ApiProblem(String(code), String(detail ?? ''), response.status, fieldErrors(errors), members);
}

interface RefusedField extends Bounds {
  field: string;
  message: string;
  code?: string;
}

/** The problem of each field, translated if the API has a code for it. */
function fieldErrors(errors: unknown): Record<string, string> {
  if (!Array.isArray(errors)) return {};
  const sentences: Record<string, Set<string>> = {};
  for (const { field, message, code = '', ...bounds } of errors as RefusedField[])
    (sentences[field] ??= new Set()).add(fieldMessage(code, bounds) ?? message);
  return Object.fromEntries(Object.entries(sentences).map(([field, each]) => [field, [...each].join(' ')]));
}

interface Bounds {
  min?: number;
  max?: number;
}

/** The message for a field error of the API; undefined for a code that is newer than this dashboard. */
export function fieldMessage(code: string, { min, max }: Bounds): string | undefined {
  const key = `fields.${code as keyof Messages['fields']}` as const;
  if (!t.has(key)) return undefined;
  const bounds = max === undefined ? 'min' : min === undefined ? 'max' : 'both';
  return t(key, { bounds, min: min ?? 0, max: max ?? 0 });
}
