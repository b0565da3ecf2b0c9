import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import sax from 'sax';
import { PAGE_URL_CHARACTERS_MAX } from '../../modules/scans/domain/scan-address.js';
import { PAGES_PER_TEMPLATE_MAX, templatesOf } from './page-choice.js';

/** Sitemaps that one scan reads, indexes included. */
export const SITEMAPS_MAX = 50;
/** Indexes between a sitemap and the first one: the protocol allows one level. */
export const SITEMAP_DEPTH_MAX = 2;
/** Uncompressed bytes of one sitemap: the protocol's limit. */
const SITEMAP_BYTES_MAX = 50 * 1024 * 1024;
/** Addresses that one scan reads from sitemaps. */
export const SITEMAP_ENTRIES_MAX = 100_000;
/** Pages that a scan takes from sitemaps. It remembers 2,000 pages, and links need room, too. */
export const SITEMAP_PAGES_MAX = 500;
/** Spare pages of each template, for pages that fail or are duplicates. */
const PAGES_KEPT_PER_TEMPLATE = 2 * PAGES_PER_TEMPLATE_MAX;

/** The pages that a scan takes from its sitemaps: some of each template, in the order of the sitemaps. */
export function chooseSitemapPages(urls: readonly string[]): string[] {
  const unique = [...new Set(urls)];
  const templates = templatesOf(unique);
  const counts = new Map<string, number>();
  const chosen = unique.filter((url) => {
    const template = templates.get(url) ?? url;
    const count = (counts.get(template) ?? 0) + 1;
    counts.set(template, count);
    return count <= PAGES_KEPT_PER_TEMPLATE;
  });
  return chosen.slice(0, SITEMAP_PAGES_MAX);
}

const GZIP_MAGIC = [0x1f, 0x8b];
/** Elements inside each other; sitemaps have three. */
const XML_DEPTH_MAX = 16;

/** Addresses that a sitemap lists: pages, or with `isIndex` other sitemaps. */
export interface SitemapEntries {
  isIndex: boolean;
  locations: string[];
}

/**
 * Reads the addresses of a sitemap, gzipped or not, as it arrives, and stops at the limits: of addresses, and of bytes
 * after unpacking. What precedes an error counts.
 */
export async function readSitemap(body: Readable, entriesMax: number): Promise<SitemapEntries> {
  const reader = new SitemapParser(entriesMax);
  try {
    let bytes = 0;
    const decoder = new TextDecoder();
    for await (const chunk of await unpacked(body)) {
      bytes += (chunk as Buffer).length;
      reader.write(decoder.decode(chunk as Buffer, { stream: true }));
      if (reader.isDone || bytes > SITEMAP_BYTES_MAX) break;
    }
  } catch {
    // Malformed or cut off.
  }
  return { isIndex: reader.isIndex, locations: reader.locations };
}

/** The bytes of a stream, unpacked if they begin like gzip: servers do not agree on how to announce it. */
async function unpacked(body: Readable): Promise<Readable> {
  const bytes = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first = await bytes.next();
  const head: Buffer = first.done ? Buffer.alloc(0) : first.value;
  const whole = Readable.from(joined(head, bytes), { objectMode: false });
  const isGzip = GZIP_MAGIC.every((byte, at) => head[at] === byte);
  return isGzip ? pipeline(whole, createGunzip(), () => {}) : whole;
}

async function* joined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Entities other than XML's are errors, so that none can expand. */
class SitemapParser {
  readonly locations: string[] = [];
  isIndex = false;
  private readonly parser = sax.parser(true, { trim: true });
  private readonly path: string[] = [];
  private text = '';
  private failed = false;

  constructor(private readonly entriesMax: number) {
    this.parser.onopentag = ({ name }) => {
      this.path.push(localName(name));
      this.text = '';
      if (this.path.length === 1) this.isIndex = this.path[0] === 'sitemapindex';
      if (this.path.length > XML_DEPTH_MAX) this.failed = true;
    };
    this.parser.ontext = this.parser.oncdata = (text) => {
      if (this.text.length <= PAGE_URL_CHARACTERS_MAX) this.text += text;
    };
    this.parser.onclosetag = () => {
      const [, parent, own] = this.path;
      const isLocation =
        this.path.length === 3 && own === 'loc' && (parent === 'url' || parent === 'sitemap');
      if (isLocation && this.text.length <= PAGE_URL_CHARACTERS_MAX && !this.isDone)
        this.locations.push(this.text);
      this.path.pop();
    };
    this.parser.onerror = () => (this.failed = true);
  }

  get isDone(): boolean {
    return this.failed || this.locations.length >= this.entriesMax;
  }

  write(text: string): void {
    if (!this.isDone) this.parser.write(text);
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}
