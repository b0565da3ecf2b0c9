import { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  type Entry,
  fromBufferPromise,
  fromRandomAccessReaderPromise,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';
import {
  ENTRIES_MAX,
  ImportFileError,
  NESTED_ARCHIVE_BYTES_MAX,
  UNPACKED_BYTES_MAX,
} from '../domain/import.js';

/** A file that is read by range. */
export interface FileSource {
  readonly size: number;
  /** `end` exclusive. */
  read(start: number, end: number): Promise<Buffer>;
}

/** A file with rows: the file itself, or one in an archive. */
export interface DataEntry {
  /** From 0. */
  index: number;
  /** Path in the archive; empty if the file is none. */
  name: string;
  /** The unpacked bytes from an offset. */
  open(offset: number): AsyncIterable<Buffer>;
}

type Chunks = AsyncIterable<Buffer>;

/** Unpacked, it can be a thousand times as large; reading can be stopped between two pieces. */
const READ_BYTES = 64 * 1024;
const DATA_NAME = /\.(?:csv|tsv|txt|json|ndjson|jsonl)(?:\.gz)?$/i;
const ZIP_NAME = /\.zip$/i;
const GZIP_NAME = /\.gz$/i;
/** Files that archiving programs add. */
const ADDED_NAME = /(?:^|\/)(?:__MACOSX\/|\.)/;

const ZIP_HEAD = Buffer.from('PK');
const GZIP_HEAD = Buffer.from([0x1f, 0x8b]);

/**
 * The files with rows of a file that may be an archive, in a stable order, from an index. The archive may contain
 * archives, which contain no others.
 * @throws ImportFileError
 */
export async function* openEntries(file: FileSource, from: number): AsyncGenerator<DataEntry> {
  const head = await file.read(0, Math.min(file.size, ZIP_HEAD.length));
  if (head.equals(ZIP_HEAD)) {
    const budget = { entries: 0, index: 0 };
    yield* zipEntries(
      await openZip(() => fromRandomAccessReaderPromise(new SourceReader(file), file.size, ZIP_OPTIONS)),
      {
        path: '',
        from,
        budget,
        isNested: false,
      },
    );
    return;
  }
  if (from > 0) return;
  const isGzip = head.equals(GZIP_HEAD);
  yield {
    index: 0,
    name: '',
    open: (offset) => (isGzip ? skip(gunzip(chunksOf(file, 0)), offset) : chunksOf(file, offset)),
  };
}

/** Refuses names with `..`, absolute ones, and entries that unpack to another size than they declare. */
const ZIP_OPTIONS = {
  lazyEntries: true,
  autoClose: false,
  decodeStrings: true,
  validateEntrySizes: true,
} as const;

interface Level {
  /** Path of this archive with its slash; empty for the file itself. */
  path: string;
  from: number;
  budget: { entries: number; index: number };
  isNested: boolean;
}

async function* zipEntries(zip: ZipFile, level: Level): AsyncGenerator<DataEntry> {
  const { path, from, budget, isNested } = level;
  for (const entry of await listEntries(zip, level)) {
    const name = path + entry.fileName;
    if (ZIP_NAME.test(name)) {
      if (isNested) throw tooDeep(name);
      const nested = await readAll(open(zip, entry), entry);
      const inner = await openZip(() => fromBufferPromise(nested, ZIP_OPTIONS));
      yield* zipEntries(inner, { ...level, path: `${name}/`, isNested: true });
      continue;
    }
    const isGzip = GZIP_NAME.test(name);
    if (isGzip && isNested) throw tooDeep(name);
    const index = budget.index++;
    if (index < from) continue;
    yield {
      index,
      name,
      open: (offset) => skip(isGzip ? gunzip(open(zip, entry)) : open(zip, entry), offset),
    };
  }
}

/** The entries with data. The whole directory is checked before any is unpacked. */
async function listEntries(zip: ZipFile, { path, budget }: Level): Promise<Entry[]> {
  const entries: Entry[] = [];
  let bytes = 0;
  await inArchive(async () => {
    for await (const entry of zip.eachEntry()) {
      const name = path + entry.fileName;
      budget.entries += 1;
      bytes += entry.uncompressedSize;
      if (budget.entries > ENTRIES_MAX)
        throw new ImportFileError('archive_too_large', `The archive has more than ${ENTRIES_MAX} files.`);
      if (bytes > UNPACKED_BYTES_MAX) throw tooLarge();
      if (entry.isEncrypted())
        throw new ImportFileError(
          'archive_encrypted',
          `“${name}” is encrypted. Send the archive without a password.`,
        );
      if (ADDED_NAME.test(name)) continue;
      if (DATA_NAME.test(name) || ZIP_NAME.test(name)) entries.push(entry);
    }
  });
  return entries;
}

function openZip(open: () => Promise<ZipFile>): Promise<ZipFile> {
  return inArchive(open);
}

/** Maps the errors of the ZIP reader. */
async function inArchive<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw archiveError(cause);
  }
}

function archiveError(cause: unknown): unknown {
  if (cause instanceof ImportFileError || !(cause instanceof Error) || isOfStorage(cause)) return cause;
  if (/relative path|absolute path|invalid characters in fileName/.test(cause.message))
    return new ImportFileError(
      'archive_name_unsafe',
      'The archive has a file whose name is not a plain path.',
      { cause },
    );
  return new ImportFileError('archive_broken', 'The archive is damaged or not complete.', { cause });
}

/** Marks errors of reading the source, which say nothing about the file. */
class SourceError extends Error {}

function isOfStorage(error: unknown): boolean {
  return error instanceof SourceError || (error instanceof Error && isOfStorage(error.cause));
}

class SourceReader extends RandomAccessReader {
  constructor(private readonly file: FileSource) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(chunksOf(this.file, start, end), { objectMode: false });
  }
}

async function* chunksOf(file: FileSource, start: number, end = file.size): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += READ_BYTES) {
    const to = Math.min(end, at + READ_BYTES);
    yield await file.read(at, to).catch((cause: unknown) => {
      throw cause instanceof ImportFileError
        ? cause
        : new SourceError('failed to read a stored part', { cause });
    });
  }
}

async function* open(zip: ZipFile, entry: Entry): Chunks & AsyncGenerator<Buffer> {
  const stream = await inArchive(() => zip.openReadStreamPromise(entry));
  yield* guarded(stream);
}

function gunzip(chunks: Chunks): AsyncGenerator<Buffer> {
  const stream = createGunzip();
  // Errors reach the reader of the stream.
  pipeline(Readable.from(chunks, { objectMode: false }), stream, () => {});
  return guarded(stream);
}

async function* guarded(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (cause) {
    throw archiveError(cause);
  } finally {
    stream.destroy();
  }
}

async function* skip(chunks: Chunks, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left >= chunk.length) left -= chunk.length;
    else {
      yield left === 0 ? chunk : chunk.subarray(left);
      left = 0;
    }
  }
}

/** An archive in an archive. */
async function readAll(chunks: Chunks, { uncompressedSize, fileName }: Entry): Promise<Buffer> {
  const refuse = (): never => {
    throw new ImportFileError(
      'archive_too_large',
      `“${fileName}” is larger than ${NESTED_ARCHIVE_BYTES_MAX} bytes.`,
    );
  };
  if (uncompressedSize > NESTED_ARCHIVE_BYTES_MAX) refuse();
  const read: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > NESTED_ARCHIVE_BYTES_MAX) refuse();
    read.push(chunk);
  }
  return Buffer.concat(read);
}

export function tooLarge(): ImportFileError {
  return new ImportFileError(
    'archive_too_large',
    `The file unpacks to more than ${UNPACKED_BYTES_MAX} bytes.`,
  );
}

function tooDeep(name: string): ImportFileError {
  return new ImportFileError('archive_too_deep', `“${name}” is an archive in an archive in an archive.`);
}
