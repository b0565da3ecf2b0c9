import { deflateRawSync, gzipSync } from 'node:zlib';
import type { ImportView } from '../../../src/modules/imports/application/import.service.js';
import { until } from '../until.js';
import type { TestProject } from './project.js';

const PART_BYTES = 8 * 1024 * 1024;
const MONTH_MS = 30 * 24 * 60 * 60_000;

export type ImportJson = Omit<ImportView, 'createdAt' | 'startedAt' | 'endedAt'> & {
  createdAt: string;
  endedAt: string | null;
};

export function monthsAgo(months: number, secondsLater = 0): string {
  const ms = Date.now() - months * MONTH_MS + secondsLater * 1000;
  return new Date(Math.floor(ms / 1000) * 1000).toISOString();
}

export async function readImport(project: TestProject, id: string): Promise<ImportJson> {
  const response = await project.request('owner', 'GET', `/imports/${id}`);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as ImportJson;
}

export function putPart(project: TestProject, id: string, number: number, bytes: Buffer): Promise<Response> {
  return fetch(new URL(`${importsUrl(project)}/${id}/parts/${number}`), {
    method: 'PUT',
    headers: { authorization: `Bearer ${project.keys.owner}`, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
}

let serviceUrl = '';
export function useService(baseUrl: string): void {
  serviceUrl = baseUrl;
}

export function importsUrl({ id }: TestProject): string {
  return `${serviceUrl}/v1/projects/${id}/imports`;
}

/** Creates an import, and uploads its parts. */
export async function upload(
  project: TestProject,
  file: Buffer,
  { profile = 'generic', fileName = 'consents.csv' }: { profile?: string; fileName?: string } = {},
): Promise<string> {
  const created = await project.request('owner', 'POST', '/imports', {
    profile,
    fileName,
    size: file.length,
  });
  if (created.status !== 201) throw new Error(`${created.status} ${await created.text()}`);
  const { id, partCount } = (await created.json()) as ImportJson;
  for (let number = 1; number <= partCount; number++) {
    const bytes = file.subarray((number - 1) * PART_BYTES, number * PART_BYTES);
    const stored = await putPart(project, id, number, bytes);
    if (stored.status !== 204) throw new Error(`${stored.status} ${await stored.text()}`);
  }
  return id;
}

export async function start(project: TestProject, id: string, body: object = {}): Promise<void> {
  const response = await project.request('owner', 'POST', `/imports/${id}/start`, body);
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
}

export function settled(project: TestProject, id: string, timeoutMs = 30_000): Promise<ImportJson> {
  return until(
    'the import has ended',
    async () => {
      const found = await readImport(project, id);
      return found.state === 'running' || found.state === 'checking' ? undefined : found;
    },
    timeoutMs,
  );
}

/** Uploads and imports a file. */
export async function importFile(
  project: TestProject,
  file: Buffer | string,
  {
    profile = 'generic',
    ...body
  }: { profile?: string; dryRun?: boolean; mapping?: object; forward?: boolean } = {},
): Promise<ImportJson> {
  const id = await upload(project, Buffer.from(file), { profile });
  await start(project, id, body);
  return settled(project, id);
}

/** A file of an archive. */
export interface ZipEntry {
  name: string;
  bytes: Buffer | string;
  declaredBytes?: number;
  encrypted?: boolean;
}

/** A ZIP archive, valid or not. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, declaredBytes, encrypted = false } of entries) {
    const raw = Buffer.from(bytes);
    const packed = deflateRawSync(raw);
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(encrypted ? 0x801 : 0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(raw), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declaredBytes ?? raw.length, 18);
    common.writeUInt16LE(path.length, 22);
    pieces.push(Buffer.from('PK\u0003\u0004'), common, path, packed);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), common, central, path);
    offset += 30 + path.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...pieces, central, end]);
}

export const gzip = (text: string): Buffer => gzipSync(text);

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
