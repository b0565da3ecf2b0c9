import { readFileSync } from 'node:fs';

/** Records a problem with a setting, as the end of a sentence that begins with its name. */
export type Refuse = (sentence: string) => void;

/** One setting: its name, meaning and parser. Created by the functions in `setting-kinds.ts`. */
export interface Setting<T> extends Described<T> {
  /** In the environment; `NAME_FILE` may name a file with the value instead. */
  readonly name: string;
  /** Parses a non-empty text; undefined if it was refused, and then the default is used. */
  parse(raw: string, refuse: Refuse): T | undefined;
  /** A value in the format of the environment. */
  write(value: T): string;
}

/** The declaration of a setting of any kind. */
export interface Described<T> {
  /** One line of Markdown without a full stop, used in README and .env.example. */
  readonly meaning: string;
  /** Additional sentences, only for .env.example. */
  readonly advice?: string;
  /** The value if unset; it may depend on other settings. */
  readonly default: T | ((read: SettingReader) => T);
  /** The documented form of a default that depends on others, or is not clear by itself. */
  readonly defaultShown?: string;
  /** The value in .env.example for a setting without a default. */
  readonly example?: string;
  /** A secret is never repeated in an error, and better passed as a file. */
  readonly secret?: true;
  /** A check beyond the setting's kind, applied to values that were set. */
  check?(value: T, refuse: Refuse): void;
}

/** A value derived from settings, without a setting name. */
export interface Derived<T> {
  readonly derive: (read: SettingReader) => T;
}

type Declared<T> = Setting<T> | Derived<T>;
// Any value: settings of all kinds stand in one declaration.
// oxlint-disable-next-line typescript/no-explicit-any
type Declarations = Record<string, Declared<any>>;
type ValuesOf<D extends Declarations> = {
  readonly [K in keyof D]: D[K] extends Declared<infer T> ? T : never;
};

/** The settings of one module: `<module>.settings.ts` holds them, with their checks and sentences. */
export interface Namespace<N extends string = string, D extends Declarations = Declarations> {
  readonly name: N;
  /** Heading in .env.example. */
  readonly title: string;
  readonly settings: D;
  /** Checks between settings of this module and of those it may use. `own` are the declarations. */
  check?(values: ValuesOf<D>, read: SettingReader, own: D): void;
}

/** The values of a module's settings, e.g. `SettingsOf<typeof forwardingSettings>`. */
export type SettingsOf<S extends Namespace> = ValuesOf<S['settings']>;

/** Declares the settings of a module. Nest is not needed: programs read them before the application is loaded. */
export function declareSettings<const N extends string, D extends Declarations>(
  namespace: Namespace<N, D>,
): Namespace<N, D> {
  return namespace;
}

export function derived<T>(derive: (read: SettingReader) => T): Derived<T> {
  return { derive };
}

/** A setting that stops the start; its message contains the name and the requirement. */
export class SettingsError extends Error {}

/** Reads the settings of one environment and collects all problems, so that one start reports everything. */
export class SettingReader {
  private readonly faults: string[] = [];
  private readonly values = new Map<Declared<unknown>, unknown>();

  constructor(private readonly environment: NodeJS.ProcessEnv) {}

  /** All settings of a module, validated. */
  namespace<D extends Declarations>(namespace: Namespace<string, D>): ValuesOf<D> {
    const entries = Object.entries(namespace.settings).map(([key, declared]) => [key, this.value(declared)]);
    const values = Object.fromEntries(entries) as ValuesOf<D>;
    namespace.check?.(values, this, namespace.settings);
    return values;
  }

  /** One value, which defaults and checks of other modules may use. Read once, so a problem is reported once. */
  value<T>(declared: Declared<T>): T {
    if (!this.values.has(declared)) {
      this.values.set(declared, 'derive' in declared ? declared.derive(this) : this.read(declared));
    }
    return this.values.get(declared) as T;
  }

  /** Whether the environment sets a setting, even to its default. */
  given({ name }: { name: string }): boolean {
    return this.raw(name) !== '';
  }

  /** @param sentence continues after the name: "must be …". It repeats no value that may be a secret. */
  refuse({ name }: { name: string }, sentence: string): void {
    this.faults.push(`${name} ${sentence}`);
  }

  /** @throws SettingsError with one sentence for each invalid setting */
  finish(): void {
    if (this.faults.length > 0) throw new SettingsError([...new Set(this.faults)].join('\n'));
  }

  private read<T>(setting: Setting<T>): T {
    const refuse: Refuse = (sentence) => this.refuse(setting, sentence);
    const raw = this.raw(setting.name);
    const value = raw === '' ? undefined : setting.parse(raw, refuse);
    if (value !== undefined) {
      setting.check?.(value, refuse);
      return value;
    }
    return setting.default instanceof Function ? setting.default(this) : setting.default;
  }

  /**
   * The value of `NAME`, or the content of the file named by `NAME_FILE`; empty if neither is set.
   */
  private raw(name: string): string {
    const value = this.environment[name];
    const file = this.environment[`${name}_FILE`];
    if (value !== undefined && value !== '') return value.trim();
    if (file === undefined || file === '') return '';
    try {
      return readFileSync(file, 'utf8').trim();
    } catch {
      this.refuse({ name: `${name}_FILE` }, 'names a file that cannot be read.');
      return '';
    }
  }
}
