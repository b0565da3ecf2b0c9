import { BRAND } from '../../shared/brand.js';

/** What a mail says: sentences, and links on lines of their own. */
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

/** Longer names of people and projects are cut: a mail is no place for somebody's essay. */
const NAME_CHARACTERS_MAX = 80;
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

/** A name that somebody gave, on one line and not longer than a name. */
export function nameInMail(name: string): string {
  const line = name.replace(CONTROLS, ' ').trim();
  return line.length <= NAME_CHARACTERS_MAX ? line : `${line.slice(0, NAME_CHARACTERS_MAX - 1)}…`;
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
