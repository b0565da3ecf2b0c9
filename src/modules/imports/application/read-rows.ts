import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { CsvError, type Info, parse as csvStream } from 'csv-parse';
import { parse as parseCsv } from 'csv-parse/sync';
import {
  GROUP_ROWS_MAX,
  type ImportProfile,
  ImportFileError,
  ROW_BYTES_MAX,
  UNPACKED_BYTES_MAX,
} from '../domain/import.js';
import type { Choices } from '../domain/mapping.js';
import { type ColumnPlan, type Fields, fieldsOfJson, planColumns, profileOf } from '../domain/profile.js';
import type { Position } from '../domain/progress.js';
import { type DataEntry, type FileSource, openEntries, tooLarge } from './unpack.js';

/** A row of a file. */
interface SourceRow {
  /** Path in the archive; empty if the file is none. */
  entry: string;
  /** From 1. */
  row: number;
  /** null: the row cannot be read. */
  fields: Fields | null;
  choices: Choices | null;
  /** Names of its columns that are not stored. */
  dropped: readonly string[];
  after: Position;
}

/** The rows of one consent. */
export interface SourceGroup {
  rows: SourceRow[];
  /** Whether further rows of it were left out. */
  isTooLong: boolean;
  after: Position;
}

const CSV_OPTIONS = {
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: ROW_BYTES_MAX,
} as const;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_BOMS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];
const DELIMITERS = [',', ';', '\t'] as const;
const NEWLINE = 0x0a;
const BLANK = new Set([0x20, 0x09, 0x0d, NEWLINE]);

/** The consents of a file after a position. @throws ImportFileError */
export async function* readGroups(
  file: FileSource,
  profile: ImportProfile,
  from: Position,
): AsyncGenerator<SourceGroup> {
  const { groupedBy } = profileOf(profile);
  if (!groupedBy) {
    for await (const row of readRows(file, profile, from))
      yield { rows: [row], isTooLong: false, after: row.after };
    return;
  }
  let group: SourceGroup | null = null;
  let key = '';
  for await (const row of readRows(file, profile, from)) {
    const { fields } = row;
    const ownKey = fields ? JSON.stringify([row.entry, ...groupedBy.map((name) => fields[name] ?? '')]) : '';
    if (group && ownKey !== '' && ownKey === key) {
      if (group.rows.length < GROUP_ROWS_MAX) group.rows.push(row);
      else group.isTooLong = true;
      group.after = row.after;
      continue;
    }
    if (group) yield group;
    group = { rows: [row], isTooLong: false, after: row.after };
    key = ownKey;
  }
  if (group) yield group;
}

async function* readRows(
  file: FileSource,
  profile: ImportProfile,
  from: Position,
): AsyncGenerator<SourceRow> {
  let { before } = from;
  let hasRows = from.offset > 0 || from.entry > 0;
  for await (const entry of openEntries(file, from.entry)) {
    const at = entry.index === from.entry ? from : { entry: entry.index, offset: 0, row: 0, before };
    const read = { bytes: 0 };
    for await (const row of entryRows(entry, profile, at, read)) {
      hasRows = true;
      yield row;
    }
    before = at.before + read.bytes;
  }
  if (!hasRows) throw new ImportFileError('empty', 'The file has no rows.');
}

/** `read.bytes`: unpacked bytes of the whole entry, at the end. */
async function* entryRows(
  entry: DataEntry,
  profile: ImportProfile,
  at: Position,
  read: { bytes: number },
): AsyncGenerator<SourceRow> {
  const head = await readHead(entry);
  const start = head.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
  if (UTF16_BOMS.some((bom) => head.subarray(0, bom.length).equals(bom))) throw notUtf8(entry);
  const first = head.subarray(start).find((byte) => !BLANK.has(byte));
  if (first === undefined) return;
  const chunks = (offset: number): AsyncGenerator<Buffer> => {
    read.bytes = offset;
    return checked(entry, offset, { before: at.before, read });
  };
  const isJson = first === '{'.charCodeAt(0) || first === '['.charCodeAt(0);
  if (isJson) {
    const offset = Math.max(at.offset, start);
    const texts = first === '['.charCodeAt(0) ? arrayItems(chunks(offset)) : lines(chunks(offset));
    yield* jsonRows(texts, { entry, profile, at: { ...at, offset } });
    return;
  }
  const header = readHeader(head.subarray(start), entry);
  const plan = planColumns(profileOf(profile), header.names);
  refuseMissing(plan.missing, profile, entry);
  const offset = Math.max(at.offset, start + header.bytes);
  yield* csvRows(chunks(offset), { entry, at: { ...at, offset }, plan, header });
}

/** The beginning of an entry, long enough for a row. */
async function readHead(entry: DataEntry): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of entry.open(0)) {
    pieces.push(chunk);
    bytes += chunk.length;
    if (bytes >= ROW_BYTES_MAX) break;
  }
  return Buffer.concat(pieces).subarray(0, ROW_BYTES_MAX);
}

/** The bytes of an entry, which must be UTF-8 and not exceed the limit of the whole file. */
async function* checked(
  entry: DataEntry,
  offset: number,
  { before, read }: { before: number; read: { bytes: number } },
): AsyncGenerator<Buffer> {
  // A character that is split between two chunks.
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of entry.open(offset)) {
    read.bytes += chunk.length;
    if (before + read.bytes > UNPACKED_BYTES_MAX) throw tooLarge();
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const end = bytes.length - splitBytes(bytes);
    if (!isUtf8(bytes.subarray(0, end))) throw notUtf8(entry);
    rest = bytes.subarray(end);
    yield chunk;
  }
  if (rest.length > 0) throw notUtf8(entry);
}

/** Length of an incomplete character at the end. */
function splitBytes(bytes: Buffer): number {
  for (let length = 1; length <= 3 && length <= bytes.length; length++) {
    const byte = bytes[bytes.length - length] as number;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > length ? length : 0;
  }
  return 0;
}

interface Header {
  names: string[];
  delimiter: string;
  /** Bytes up to the first row. */
  bytes: number;
}

function readHeader(head: Buffer, entry: DataEntry): Header {
  const line = head
    .subarray(0, head.indexOf(NEWLINE) === -1 ? head.length : head.indexOf(NEWLINE))
    .toString();
  const counted = DELIMITERS.map((each) => [each, line.split(each).length] as const);
  const [delimiter] = counted.reduce((best, each) => (each[1] > best[1] ? each : best));
  try {
    const [header] = parseCsv(head, { ...CSV_OPTIONS, delimiter, info: true, to: 1 }) as unknown as {
      record: string[];
      info: Info;
    }[];
    if (!header) throw new ImportFileError('not_this_format', `${shown(entry)} has no header.`);
    return { names: header.record.map((name) => name.trim()), delimiter, bytes: header.info.bytes };
  } catch (error) {
    throw csvError(error, entry, 0);
  }
}

async function* csvRows(
  chunks: AsyncIterable<Buffer>,
  { entry, at, plan, header }: { entry: DataEntry; at: Position; plan: ColumnPlan; header: Header },
): AsyncGenerator<SourceRow> {
  const parser = csvStream({ ...CSV_OPTIONS, delimiter: header.delimiter, info: true });
  // Errors reach the reader of the parser.
  pipeline(Readable.from(chunks, { objectMode: false }), parser, () => {});
  const allDropped = plan.dropped.map(([name]) => name);
  let { row } = at;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      row += 1;
      const fields: Record<string, string> = {};
      for (const [name, place] of plan.kept) fields[name] = record[place]?.trim() ?? '';
      const notEmpty = plan.dropped.filter(
        ([, place]) => record[place] !== undefined && record[place] !== '',
      );
      yield {
        entry: entry.name,
        row,
        fields: record.length === header.names.length ? fields : null,
        choices: null,
        dropped: notEmpty.length === allDropped.length ? allDropped : notEmpty.map(([name]) => name),
        after: { entry: entry.index, offset: at.offset + info.bytes, row, before: at.before },
      };
    }
  } catch (error) {
    throw csvError(error, entry, row);
  } finally {
    parser.destroy();
  }
}

function csvError(error: unknown, entry: DataEntry, row: number): unknown {
  if (!(error instanceof CsvError)) return error;
  if (error.code === 'CSV_MAX_RECORD_SIZE') return rowTooLong(entry, row + 1);
  return new ImportFileError('not_this_format', `${shown(entry)} is not CSV after row ${row}.`, {
    cause: error,
  });
}

interface JsonText {
  text: string;
  /** Bytes of the stream up to its end. */
  end: number;
}

async function* jsonRows(
  texts: AsyncIterable<JsonText | 'too long'>,
  { entry, profile, at }: { entry: DataEntry; profile: ImportProfile; at: Position },
): AsyncGenerator<SourceRow> {
  let { row } = at;
  for await (const item of texts) {
    row += 1;
    if (item === 'too long') throw rowTooLong(entry, row);
    const { text, end } = item;
    const after = { entry: entry.index, offset: at.offset + end, row, before: at.before };
    const value = parseObject(text);
    const common = { entry: entry.name, row, after };
    if (!value) {
      yield { ...common, fields: null, choices: null, dropped: [] };
      continue;
    }
    const { missing, ...read } = fieldsOfJson(profileOf(profile), value);
    if (row === 1) refuseMissing(missing, profile, entry);
    yield { ...common, ...read };
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Lines that are not blank. */
async function* lines(chunks: AsyncIterable<Buffer>): AsyncGenerator<JsonText | 'too long'> {
  let rest: Buffer = Buffer.alloc(0);
  let end = 0;
  for await (const chunk of chunks) {
    let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE)) {
      end += at + 1;
      const text = bytes.subarray(0, at).toString().trim();
      if (text.length > ROW_BYTES_MAX) yield 'too long';
      else if (text !== '') yield { text, end };
      bytes = bytes.subarray(at + 1);
    }
    rest = bytes;
    if (rest.length > ROW_BYTES_MAX) yield 'too long';
  }
  const text = rest.toString().trim();
  if (text !== '') yield { text, end: end + rest.length };
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE] = ['"', '\\', '{', '}'].map((sign) => sign.charCodeAt(0));

/** The objects of an array, also from its middle. */
async function* arrayItems(chunks: AsyncIterable<Buffer>): AsyncGenerator<JsonText | 'too long'> {
  let item: Buffer[] = [];
  let itemBytes = 0;
  let end = 0;
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (inText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) inText = false;
      } else if (byte === QUOTE) inText = true;
      else if (byte === OPEN_BRACE) {
        if (depth === 0) from = at;
        depth += 1;
      } else if (byte === CLOSE_BRACE && depth > 0) {
        depth -= 1;
        if (depth > 0) continue;
        item.push(chunk.subarray(from, at + 1));
        yield { text: Buffer.concat(item).toString(), end: end + at + 1 };
        item = [];
        itemBytes = 0;
      }
    }
    end += chunk.length;
    if (depth === 0) continue;
    item.push(chunk.subarray(from));
    itemBytes += chunk.length - from;
    if (itemBytes > ROW_BYTES_MAX) yield 'too long';
  }
  if (depth > 0) yield { text: Buffer.concat(item).toString(), end };
}

function refuseMissing(missing: readonly string[] | null, profile: ImportProfile, entry: DataEntry): void {
  if (!missing) return;
  const { columns } = profileOf(profile);
  const names = missing.flatMap((ours) => columns[ours] ?? []).map((name) => `“${name}”`);
  throw new ImportFileError(
    'columns_missing',
    `${shown(entry)} has no column ${names.join(' or ')}, which the profile ${profile} requires.`,
  );
}

function rowTooLong(entry: DataEntry, row: number): ImportFileError {
  return new ImportFileError(
    'row_too_long',
    `Row ${row} of ${shown(entry)} is longer than ${ROW_BYTES_MAX} bytes. A quotation mark may not be closed.`,
  );
}

function notUtf8(entry: DataEntry): ImportFileError {
  return new ImportFileError('not_utf8', `${shown(entry)} is not UTF-8. Save it as UTF-8.`);
}

function shown({ name }: DataEntry): string {
  return name === '' ? 'The file' : `“${name.slice(0, 200)}”`;
}
