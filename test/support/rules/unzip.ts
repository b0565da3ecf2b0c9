import { promisify } from 'node:util';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';

/** The files of a ZIP, by their names in its order; each is held against its size and checksum. */
export async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await new Promise<ZipFile>((done, fail) =>
    fromBuffer(bytes, { lazyEntries: true }, (error, opened) => (opened ? done(opened) : fail(error))),
  );
  const open = promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip));
  const files = new Map<string, Buffer>();
  await new Promise<void>((done, fail) => {
    zip.on('end', done).on('error', fail);
    zip.on('entry', (entry: Entry) => {
      open(entry)
        .then(buffer)
        .then((content) => {
          if (crc32(content) !== entry.crc32) throw new Error(`the checksum of ${entry.fileName} is wrong`);
          files.set(entry.fileName, content);
          zip.readEntry();
        })
        .catch(fail);
    });
    zip.readEntry();
  });
  return files;
}
