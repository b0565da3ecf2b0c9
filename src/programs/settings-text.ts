import type { Namespace, Setting } from '../platform/settings/declare-settings.js';

const ENV_HEADER = `# Generated from src/**/*.settings.ts by "npm run generate -- settings". Every process reads its settings once, at the
# start, from the environment or from a file .env beside package.json. \`npm start\` needs none of them.
# NAME_FILE can hold the path of a file to read the value from. An invalid value stops the start with a sentence that
# names it. The values shown are the defaults.
`;
const ENV_COLUMNS = 118;
const TABLE = /(<!-- settings: .*? -->\n)[^]*?(<!-- \/settings -->)/;

/** The file .env.example: every setting commented out, with its meaning above it. */
export function envExample(namespaces: readonly Namespace[]): string {
  const sections = namespaces.map(({ title, settings }) =>
    [`# --- ${title} ---`, ...listSettings(settings).map(formatExample)].join('\n\n'),
  );
  return `${[ENV_HEADER.trimEnd(), ...sections].join('\n\n')}\n`;
}

/** docs/settings.md with its table regenerated. */
export function withSettingsTable(page: string, namespaces: readonly Namespace[]): string {
  if (!TABLE.test(page)) throw new Error('docs/settings.md has no "<!-- settings -->" block.');
  return page.replace(
    TABLE,
    (_, begin: string, end: string) => `${begin}\n${formatTable(namespaces)}\n\n${end}`,
  );
}

function listSettings(declared: Namespace['settings']): Setting<unknown>[] {
  return Object.values(declared).filter((each): each is Setting<unknown> => 'name' in each);
}

function formatExample(setting: Setting<unknown>): string {
  const { name, meaning, advice, defaultShown, example } = setting;
  const shown = example === undefined && writtenDefault(setting) ? undefined : defaultShown;
  const plain = `${meaning}.${shown === undefined ? '' : ` Default: ${shown}.`}`
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('`', '');
  const beginning = meaning.startsWith('`') ? plain.charAt(0) : plain.charAt(0).toUpperCase();
  const lines = [...wrap(beginning + plain.slice(1)), ...(advice === undefined ? [] : wrap(advice))];
  return [...lines.map((line) => `# ${line}`), `#${name}=${example ?? writtenDefault(setting) ?? ''}`].join(
    '\n',
  );
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= ENV_COLUMNS)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A default in the format of the environment; null: it depends on other settings. */
function writtenDefault(setting: Setting<unknown>): string | null {
  return setting.default instanceof Function ? null : setting.write(setting.default);
}

/** In columns of equal width, as the formatter requires. */
function formatTable(namespaces: readonly Namespace[]): string {
  const rows = namespaces
    .flatMap(({ settings }) => listSettings(settings))
    .map((setting) => [`\`${setting.name}\``, shownDefault(setting), setting.meaning.replaceAll('|', '\\|')]);
  const all = [['name', 'default', 'meaning'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lines = all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  lines.splice(
    1,
    0,
    widths.map((width) => '-'.repeat(width)),
  );
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function shownDefault(setting: Setting<unknown>): string {
  if (setting.defaultShown !== undefined) return setting.defaultShown;
  const written = writtenDefault(setting) ?? '';
  return typeof setting.default === 'number' ? written : `\`${written}\``;
}
