import { styled } from './terminal.js';

/** One difference between a file and the service. */
export interface Change {
  path: string[];
  kind: 'added' | 'removed' | 'changed';
  /** Of the service; text as is, all other values as JSON; null: absent. */
  before: string | null;
  /** Of the file. */
  after: string | null;
}

const SHOWN_CHARACTERS_MAX = 120;
const MARKS = { added: styled('green', '+'), removed: styled('red', '-'), changed: styled('yellow', '~') };

/** Compares the members that the file has; missing members keep their value. */
export function changesOf(stored: unknown, wanted: unknown, path: string[] = []): Change[] {
  if (isObject(stored) && isObject(wanted))
    return Object.keys(wanted).flatMap((name) => changesOf(stored[name], wanted[name], [...path, name]));
  const [before, after] = [shown(stored), shown(wanted)];
  if (before === after) return [];
  return [{ path, kind: before === null ? 'added' : after === null ? 'removed' : 'changed', before, after }];
}

/** The difference as a line for people. */
export function line({ path, kind, before, after }: Change): string {
  const values = [before, after].filter((value) => value !== null).map(short);
  return `${MARKS[kind]} ${path.join('.')}: ${values.join(' → ')}`;
}

function short(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ').replaceAll(/\p{Cc}/gu, '');
  return oneLine.length > SHOWN_CHARACTERS_MAX ? `${oneLine.slice(0, SHOWN_CHARACTERS_MAX)}…` : oneLine;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
