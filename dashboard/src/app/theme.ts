import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';
import { t } from '../i18n/i18n';

/** Shades of the one accent colour. White text on the last two has a contrast of at least 5. */
const ACCENT: MantineColorsTuple = [
  '#eef1ff',
  '#dde3ff',
  '#c0caff',
  '#a5b3ff',
  '#8799ff',
  '#7086ff',
  '#5a73ff',
  '#4a65fe',
  '#3d5afe',
  '#2a43d4',
];

/** Mantine's dark greys in the tint of the tokens: text, borders, fields, cards, page. */
const DARK: MantineColorsTuple = [
  '#eceff4',
  '#c9d0db',
  '#a3adbd',
  '#8993a4',
  '#353d4a',
  '#252b35',
  '#1b2029',
  '#161a21',
  '#101318',
  '#0b0d11',
];

/** Passes the tokens of `tokens.css` to Mantine: one accent colour, neutral greys, 14 px text, a grid of 4 px. */
export const theme = createTheme({
  colors: { accent: ACCENT, dark: DARK },
  primaryColor: 'accent',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 7,
  radius: { sm: '6px', md: 'var(--radius)', lg: 'var(--radius-card)' },
  shadows: { xs: 'var(--shadow-1)', sm: 'var(--shadow-1)', md: 'var(--shadow-2)', xl: 'var(--shadow-2)' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: "'Inter Variable', 'Inter Fallback', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '13px', sm: '14px' },
  lineHeights: { xs: '20px', sm: '20px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px', fontWeight: '650' },
      h2: { fontSize: '15px', lineHeight: '22px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  components: {
    Text: { defaultProps: { size: 'sm' } },
    Anchor: { defaultProps: { size: 'sm', underline: 'always' } },
    Button: { defaultProps: { size: 'xs' } },
    Paper: { defaultProps: { radius: 'lg', shadow: 'xs' } },
    Table: { defaultProps: { fz: 'sm' } },
    Alert: { defaultProps: { p: 'sm', radius: 'lg' } },
    Modal: { defaultProps: { radius: 'lg' } },
    // A heading of the dialog, and no banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Menu: { defaultProps: { radius: 'md', shadow: 'md' } },
    // A function, because the language is loaded after this module.
    Notification: { defaultProps: () => ({ closeButtonProps: { 'aria-label': t('shared.close') } }) },
  },
});

const TOKENS = {
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-body': 'var(--raised)',
  '--mantine-color-dimmed': 'var(--text-2)',
  '--mantine-color-placeholder': 'var(--text-3)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-anchor': 'var(--accent-text)',
  '--mantine-color-default': 'var(--raised)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-accent-light': 'var(--accent-soft)',
  '--mantine-color-accent-light-hover': 'var(--accent-soft)',
  '--mantine-color-accent-light-color': 'var(--accent-text)',
  '--mantine-color-accent-outline': 'var(--accent-text)',
  '--mantine-color-red-filled': 'var(--bad-filled)',
  '--mantine-color-red-filled-hover': 'var(--bad-filled-hover)',
  '--mantine-color-red-light-color': 'var(--bad)',
  '--mantine-color-red-outline': 'var(--bad)',
  '--mantine-color-gray-light-color': 'var(--text)',
};

/** Mantine's colours, from the tokens. Its own greys and red have too little contrast (WCAG 1.4.3). */
export const tokenColors: CSSVariablesResolver = () => ({ variables: {}, light: TOKENS, dark: TOKENS });
