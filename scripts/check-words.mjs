// Counts the phrases of words.txt per 1,000 words of comments, documents and user-visible texts, and fails above the
// limit: `npm run check -- words`. `--list 20` also prints the files with the most hits.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Hits per 1,000 words. Lower a limit when the count has fallen; never raise one. */
const LIMITS = { comments: 1, 'test comments': 1, documents: 1, texts: 1 };

const TEXTS = /^messages\/[\w-]+\.en\.json$/;
const TEST = /(^|\/)test\/|\.spec\./;
const CODE = /\.(ts|tsx|mjs)$/;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:"'`\\])\/\/[^\n]*/g;
const CODE_BLOCK = /```[\s\S]*?```/g;
const WORD = /[A-Za-z][A-Za-z'’-]*/g;

const { values } = parseArgs({ options: { list: { type: 'string', default: '0' } } });
const phrases = readFileSync(join(import.meta.dirname, 'words.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const PHRASE = new RegExp(phrases.map((phrase) => `(?:${phrase})`).join('|'), 'gim');

const counts = new Map(Object.keys(LIMITS).map((kind) => [kind, { hits: 0, words: 0 }]));
const files = [];
for (const path of execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')) {
  const kind = kindOf(path);
  if (!kind || !existsSync(path)) continue;
  const prose = proseOf(readFileSync(path, 'utf8'), kind);
  const hits = prose.match(PHRASE) ?? [];
  const count = counts.get(kind);
  count.hits += hits.length;
  count.words += prose.match(WORD)?.length ?? 0;
  if (hits.length > 0) files.push({ path, hits });
}

let failed = false;
for (const [kind, { hits, words }] of counts) {
  const rate = (1000 * hits) / Math.max(1, words);
  console.log(`${kind}: ${hits} in ${words} words, ${rate.toFixed(2)} of ${LIMITS[kind]} per 1,000`);
  failed ||= rate > LIMITS[kind];
}
for (const { path, hits } of files
  .toSorted((a, b) => b.hits.length - a.hits.length)
  .slice(0, Number(values.list)))
  console.log(
    `${hits.length} ${path}: ${hits
      .slice(0, 8)
      .map((hit) => hit.trim())
      .join(', ')}`,
  );
if (failed) {
  console.error(
    'Too many phrases of scripts/words.txt; `node scripts/check-words.mjs --list 20` shows where.',
  );
  process.exit(1);
}

function kindOf(path) {
  if (TEXTS.test(path)) return 'texts';
  if (path.endsWith('.md')) return 'documents';
  if (!CODE.test(path)) return null;
  return TEST.test(path) ? 'test comments' : 'comments';
}

function proseOf(text, kind) {
  if (kind === 'documents') return text.replace(CODE_BLOCK, '');
  return kind === 'texts' ? text : (text.match(COMMENT) ?? []).join('\n');
}
