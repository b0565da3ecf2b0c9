import { defineEntity, p } from '@mikro-orm/core';
import { IMPORT_PROFILES, IMPORT_STATES, type FileProblem, type Mapping } from '../domain/import.js';
import type { Progress } from '../domain/progress.js';

/** An import of a file from another product. Kept while its records may exist, because their proofs name it. */
export const ConsentImportSchema = defineEntity({
  name: 'ConsentImport',
  tableName: 'consent_import',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    profile: p.enum(IMPORT_PROFILES),
    fileName: p.text(),
    size: p.bigint('number'),
    state: p.enum(IMPORT_STATES),
    mapping: p.json<Mapping>().defaultRaw(`'{}'`),
    /** Whether the project's forwarding applies to the records. */
    forward: p.boolean().default(false),
    /** In hex; null: the whole file was not read yet. */
    sha256: p.text().nullable(),
    /** The key of the files, encrypted; null: they are deleted. */
    keyCiphertext: p.blob().$type<Buffer>().nullable(),
    keyId: p.text().nullable(),
    /** null: reading has not begun. */
    progress: p.json<Progress>().nullable(),
    rowsRead: p.bigint('number').defaultRaw('0'),
    stored: p.bigint('number').defaultRaw('0'),
    repeated: p.bigint('number').defaultRaw('0'),
    refused: p.bigint('number').defaultRaw('0'),
    failure: p.json<{ code: FileProblem; detail: string }>().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    startedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
  },
});

export class ConsentImport extends ConsentImportSchema.class {}
ConsentImportSchema.setClass(ConsentImport);

/** A stored part of a file. */
export const ConsentImportPartSchema = defineEntity({
  name: 'ConsentImportPart',
  tableName: 'consent_import_part',
  properties: {
    projectId: p.uuid().primary(),
    importId: p.uuid().primary(),
    /** From 1. */
    number: p.integer().primary(),
    sha256: p.text(),
    storedAt: p.datetime().defaultRaw('now()'),
  },
});
