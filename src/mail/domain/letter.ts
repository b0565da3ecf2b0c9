import { BRAND } from '../../shared/brand.js';

/** The text of a mail: sentences, and links on separate lines. */
export interface Letter {
  subject: string;
  paragraphs: (string | { label: string; url: string })[];
}

/** A mail as it is sent. */
export interface RenderedLetter {
  subject: string;
  text: string;
  html: string;
}

/** Longest name in a mail: enough to recognize a project or a person, too short for a message. */
const NAME_CHARACTERS_MAX = 40;
/** What makes mail clients link: a scheme, a slash, an @, and a dot between two characters of a name. */
const LINK_PARTS = /[a-z][a-z0-9+.-]*:\/\/|[/\\@:"]|\.(?=\S)/giu;
const SUBJECT_CHARACTERS_MAX = 200;
/** Line breaks and other characters that control rather than show, direction marks included. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Plain text and HTML from one letter; whatever people have named themselves or their projects stays text. */
export function renderLetter({ subject, paragraphs }: Letter): RenderedLetter {
  const text = paragraphs.map((part) => (typeof part === 'string' ? part : `${part.label}:\n${part.url}`));
  const html = paragraphs.map((part) =>
    typeof part === 'string'
      ? `<p>${escaped(part)}</p>`
      : `<p><a href="${escaped(part.url)}">${escaped(part.label)}</a></p>\n<p>${escaped(part.url)}</p>`,
  );
  const line = subject.replace(CONTROLS, ' ').slice(0, SUBJECT_CHARACTERS_MAX);
  return {
    subject: line,
    text: `${[...text, `-- \n${BRAND}`].join('\n\n')}\n`,
    html: [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8"><title>${escaped(line)}</title></head><body>`,
      ...html,
      `<p>${BRAND}</p>`,
      '</body></html>',
      '',
    ].join('\n'),
  };
}

/**
 * A name that a stranger may have chosen, for a mail: on one line, short, and with nothing that a mail client turns into
 * a link. Templates put it in quotation marks.
 */
export function nameInMail(name: string): string {
  const line = name.replace(CONTROLS, ' ').replace(LINK_PARTS, ' ').replace(/\s+/g, ' ').trim();
  return line.length <= NAME_CHARACTERS_MAX ? line : `${line.slice(0, NAME_CHARACTERS_MAX - 1).trimEnd()}…`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
