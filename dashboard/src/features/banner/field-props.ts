import type { BannerText, Configuration } from './configuration';

export interface FieldsProps {
  projectId: string;
  form: Configuration;
  change: (changes: Partial<Configuration>) => void;
  fields: Readonly<Record<string, string>>;
}

/** Fields of one language. */
export interface LanguageProps extends FieldsProps {
  language: string;
  /** Our texts, by language. */
  presets: BannerText[];
}

export interface LanguageTextProps {
  text: BannerText;
  at: string;
  fields: Readonly<Record<string, string>>;
  put: (changes: Partial<BannerText>) => void;
}
