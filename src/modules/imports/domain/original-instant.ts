import { parseInstant } from '../../../platform/time/instant.js';

const EPOCH = /^\d{10}(?:\d{3})?(?:\.\d{1,6})?$/;
const SPACED = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/i;

/**
 * The instant of a text in a file: ISO 8601, also with a blank instead of the T, or seconds or milliseconds since 1970. A
 * time without a zone is UTC. null: it is none of these, or not from 2000 to 2099.
 */
export function parseOriginalInstant(text: string): Date | null {
  if (EPOCH.test(text)) {
    const seconds = text.split('.')[0]?.length === 10 ? Number(text) : Number(text) / 1000;
    return parseInstant(new Date(Math.round(seconds * 1000)).toISOString());
  }
  const [, day, time, zone = 'Z'] = SPACED.exec(text) ?? [];
  if (day === undefined || time === undefined) return null;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : 'Z';
  return parseInstant(`${day}T${time}${offset}`);
}
