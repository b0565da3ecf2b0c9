/** The parsed text of an answer or a request. */
export type Json = Record<string, unknown>;

/** Status and parsed body of an answer. */
export interface JsonAnswer {
  status: number;
  body: Json;
}

/** Waits for an answer and parses it. */
export async function answered(answer: Promise<Response>): Promise<JsonAnswer> {
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Json };
}

/** The fields that a 422 names. */
export const fieldsOf = ({ body }: { body: Json }): string[] | undefined =>
  (body['errors'] as { field: string }[] | undefined)?.map(({ field }) => field);
