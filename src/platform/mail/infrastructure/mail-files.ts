import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mailer, OutgoingMail } from './smtp-mailer.js';

/** Most files to keep; older ones are deleted. */
const FILES_MAX = 200;

/** A mail written to a file instead of sent to a server. */
export type FiledMail = OutgoingMail & { sentAt: string };

export const mailFolder = (dataDir: string): string => join(dataDir, 'mail');

/**
 * The mail server of development: a folder with one JSON file per mail, named by the mail's id,
 * readable only by its owner.
 */
export function fileMailer(folder: string): Mailer {
  return async (mail) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const filed: FiledMail = { ...mail, sentAt: new Date().toISOString() };
    await writeFile(join(folder, `${mail.id}.json`), `${JSON.stringify(filed, null, 2)}\n`, { mode: 0o600 });
    const surplus = (await namesIn(folder)).slice(FILES_MAX);
    await Promise.all(surplus.map((name) => rm(join(folder, name), { force: true })));
    return { kind: 'accepted' };
  };
}

/** The mails in a folder, newest first; empty if the folder does not exist. */
export async function filedMails(folder: string): Promise<FiledMail[]> {
  const texts = await Promise.all(
    (await namesIn(folder)).map((name) => readFile(join(folder, name), 'utf8').catch(() => null)),
  );
  return texts.flatMap((text) => parsed(text));
}

/** Ignores a file that is being written or was deleted since. */
function parsed(text: string | null): FiledMail[] {
  try {
    return text === null ? [] : [JSON.parse(text) as FiledMail];
  } catch {
    return [];
  }
}

/** Ids are UUIDv7, so names sort by time. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .toReversed();
}
