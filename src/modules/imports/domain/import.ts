/** Topic of the outbox message that reads the file of an import; its subject is the import. */
export const IMPORT_REQUESTED = 'import.requested';
/** Topic of the message that deletes the files of a deleted project. */
export const IMPORT_FILES_DELETED = 'import_files.deleted';

const MIB = 1024 * 1024;
/** Every part but the last has this size. */
export const PART_BYTES = 8 * MIB;
/** Files of all projects of an account that are not deleted yet, as sent. */
export const ACCOUNT_FILES_BYTES_MAX = 4 * 1024 * MIB;
export const UNPACKED_BYTES_MAX = 10 * 1024 * MIB;
/** Files in an archive and in the archives in it. */
export const ENTRIES_MAX = 1_000;
/** An archive in an archive is read into memory. */
export const NESTED_ARCHIVE_BYTES_MAX = 32 * MIB;
export const ROW_BYTES_MAX = 256 * 1024;
/** Rows that are one consent, where a file has a row for each service. */
export const GROUP_ROWS_MAX = 200;

export const FILE_NAME_CHARACTERS_MAX = 200;
export const MAPPING_NAMES_MAX = 500;
export const MAPPING_NAME_CHARACTERS_MAX = 200;
/** Rows that a dry run shows. */
export const SAMPLE_ROWS_MAX = 50;
/** Refused rows in the response; the file has all. */
export const REFUSALS_SHOWN_MAX = 100;
/** Names of columns and of categories without a mapping that are counted. */
export const NAMES_COUNTED_MAX = 100;

export const IMPORT_PROFILES = [
  'generic',
  'usercentrics',
  'commanders_act',
  'cookiescript',
  'cookie_compliance',
  'didomi',
  'onetrust',
] as const;
export type ImportProfile = (typeof IMPORT_PROFILES)[number];

export const IMPORT_CATEGORIES = ['analytics', 'marketing', 'preferences'] as const;
export type ImportCategory = (typeof IMPORT_CATEGORIES)[number];

/** Our categories, to which categories and services of another product are mapped. */
export const MAPPING_TARGETS = [...IMPORT_CATEGORIES, 'ignore'] as const;
export type MappingTarget = (typeof MAPPING_TARGETS)[number];
export type Mapping = Readonly<Record<string, MappingTarget>>;

/**
 * uploading ─▶ checking ─▶ checked ─▶ running ─▶ finished; a failure ends in `failed`, and every state before the end can
 * be canceled. The dry run (`checking`) can be repeated or omitted.
 */
export const IMPORT_STATES = [
  'uploading',
  'checking',
  'checked',
  'running',
  'finished',
  'failed',
  'canceled',
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

export const OPEN_STATES = ['uploading', 'checking', 'checked', 'running'] as const satisfies ImportState[];
/** In these a worker reads the file. */
export const WORKING_STATES = ['checking', 'running'] as const satisfies ImportState[];

/** Why a row is refused. Stable once released. */
export const REFUSAL_REASONS = [
  'unreadable',
  'id_missing',
  'date_unreadable',
  'in_future',
  'older_than_retention',
  'choice_unreadable',
  'nothing_mapped',
  'not_a_choice',
  'action_invalid',
  'too_many_rows',
  'conflict',
  'erased',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Why a file cannot be read. Stable once released. */
export const FILE_PROBLEMS = [
  'not_utf8',
  'not_this_format',
  'columns_missing',
  'row_too_long',
  'archive_broken',
  'archive_encrypted',
  'archive_name_unsafe',
  'archive_too_large',
  'archive_too_deep',
  'empty',
  'file_unreadable',
] as const;
export type FileProblem = (typeof FILE_PROBLEMS)[number];

/** The file of an import cannot be read. */
export class ImportFileError extends Error {
  constructor(
    readonly code: FileProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Number and size of the parts of a file. */
export function partsOf(size: number): { count: number; bytesOf: (number: number) => number } {
  const count = Math.ceil(size / PART_BYTES);
  return { count, bytesOf: (number) => (number === count ? size - (count - 1) * PART_BYTES : PART_BYTES) };
}
