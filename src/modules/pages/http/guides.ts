import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { BRAND } from '../../../platform/identity/brand.js';
import { escapeHtml } from '../../../platform/identity/escape-html.js';

/** A document of `docs/` that the service serves. */
interface Guide {
  /** In its address: `receiver` of `/docs/receiver`. */
  name: string;
  title: string;
  about: string;
}

export interface GuideGroup {
  reader: string;
  guides: Guide[];
}

/** The readers of docs/README.md who use the service; the others run or change it. */
const READERS = ['Site owners', 'Developers of receivers'];
const INDEX = 'README.md';

/** A build has a copy beside its code. */
const FOLDER = ['../../../docs', '../../../../docs']
  .map((path) => join(import.meta.dirname, path))
  .find((folder) => existsSync(join(folder, INDEX)));

/** A link of Markdown, or a picture, with its target. */
const LINK = /\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)/g;
const ENTRY = /^- \[[^\]]+\]\(([\w-]+)\.md\): (.+)$/gm;
const EXTERNAL = /^https?:/;
/** Samples, pictures and schemas in the folder of their kind. */
const FILE = /^(?:banners|first-party|images|samples|schemas)\/[\w.-]+$/;

/** The guides and their files, read once. */
export class Guides {
  readonly groups: GuideGroup[] = [];
  /** By name. */
  private readonly sources = new Map<string, string>();
  private readonly files = new Set<string>();

  constructor() {
    const index = readDocument(INDEX);
    for (const reader of READERS) {
      const names = namesIn(sectionOf(index, reader)).filter(({ name }) => !this.sources.has(name));
      const guides = names.map(({ name, about }) => {
        const source = readDocument(`${name}.md`);
        this.sources.set(name, source);
        return { name, about, title: titleOf(source) };
      });
      this.groups.push({ reader, guides });
    }
    for (const [name, source] of this.sources) this.sources.set(name, this.withoutForeignLinks(source));
  }

  /** Its Markdown; undefined: no guide has this name. */
  markdown(name: string): string | undefined {
    return this.sources.get(name);
  }

  /** The bytes of a sample or picture that a guide refers to, by its path in `docs/`. */
  file(path: string): Buffer | undefined {
    return this.files.has(path) ? readFileSync(join(folder(), path)) : undefined;
  }

  /** Keeps the label of a link to a document that is not served, such as one for operators. */
  private withoutForeignLinks(source: string): string {
    return source.replaceAll(LINK, (whole, label: string, target: string) => {
      const [path = ''] = target.split('#');
      if (path === '' || EXTERNAL.test(target)) return whole;
      if (FILE.test(path)) this.files.add(path);
      return FILE.test(path) || this.sources.has(path.replace(/\.md$/, '')) ? whole : label;
    });
  }
}

function folder(): string {
  if (FOLDER === undefined) throw new Error('The folder docs/ is missing.');
  return FOLDER;
}

const readDocument = (name: string): string => readFileSync(join(folder(), name), 'utf8');

function sectionOf(index: string, reader: string): string {
  const section = index.split(/^## /m).find((each) => each.startsWith(`${reader}\n`));
  if (section === undefined) throw new Error(`docs/${INDEX} has no section "${reader}".`);
  return section;
}

function namesIn(section: string): { name: string; about: string }[] {
  return [...section.matchAll(ENTRY)].map(([, name = '', about = '']) => ({ name, about }));
}

const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? '';

/** The list for `/llms.txt`, with whole addresses. */
export function documentList(groups: readonly GuideGroup[], baseUrl: string): string {
  const sections = groups.map(({ reader, guides }) => {
    const lines = guides.map(
      ({ name, title, about }) => `- [${title}](${baseUrl}/docs/${name}.md): ${about}`,
    );
    return `## ${reader}\n\n${lines.join('\n')}\n`;
  });
  return `# ${BRAND}

> A consent-management platform: a banner on a website asks visitors, the service stores each choice as a consent record, proves it, and forwards it to the owner's HTTPS endpoint.

## API

- [OpenAPI 3.1 as JSON](${baseUrl}/docs-json): every route, parameter, body, response and error
- [OpenAPI 3.1 as YAML](${baseUrl}/docs-yaml): the same

${sections.join('\n')}`;
}

/** A heading of a guide, for its table of contents. */
export interface GuideHeading {
  id: string;
  text: string;
}

/** The guide as HTML. Markup in the source is shown as text, and links lead to the served documents. */
export function renderGuide(markdown: string): { title: string; html: string; headings: GuideHeading[] } {
  const slugs = new Map<string, number>();
  const headings: GuideHeading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        const id = slugFor(text, slugs);
        const content = this.parser.parseInline(tokens);
        if (depth === 2)
          headings.push({ id, text: this.parser.parseInline(tokens, this.parser.textRenderer) });
        return `<h${depth} id="${id}">${content}</h${depth}>\n`;
      },
      html: ({ text }: Tokens.HTML | Tokens.Tag): string => escapeHtml(text),
      link({ href, tokens }: Tokens.Link): string {
        const label = this.parser.parseInline(tokens);
        const address = addressOf(href);
        return address === null ? label : `<a href="${escapeHtml(address)}">${label}</a>`;
      },
      image: ({ href, text }: Tokens.Image): string => {
        const address = FILE.test(href) ? `/docs/${href}` : null;
        return address === null
          ? escapeHtml(text)
          : `<img src="${address}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      // Wide tables and samples scroll, also with the keyboard.
      table(token: Tokens.Table): string {
        const row = (cells: Tokens.TableCell[], open: string, close: string): string =>
          `<tr>${cells.map(({ tokens }) => `${open}${this.parser.parseInline(tokens)}${close}`).join('')}</tr>\n`;
        const head = row(token.header, '<th scope="col">', '</th>');
        const body = token.rows.map((cells) => row(cells, '<td>', '</td>')).join('');
        return `<div class="wide" role="group" aria-label="Table" tabindex="0"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      code: ({ text }: Tokens.Code): string =>
        `<pre role="group" aria-label="Code" tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { title: titleOf(markdown), html, headings };
}

/** The address of a link's target; null: a scheme that no guide uses. */
function addressOf(href: string): string | null {
  if (EXTERNAL.test(href) || href.startsWith('#')) return href;
  if (/^[a-z][a-z\d+.-]*:/i.test(href) || href.startsWith('/')) return null;
  return `/docs/${href.replace(/\.md(?=#|$)/, '')}`;
}

/** As GitHub derives the anchor of a heading, so that links work there too. */
function slugFor(text: string, seen: Map<string, number>): string {
  const slug = text
    .replaceAll(LINK, '$1')
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
  const count = seen.get(slug) ?? 0;
  seen.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}
