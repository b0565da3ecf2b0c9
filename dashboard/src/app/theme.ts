import { createTheme, type CSSVariablesResolver } from '@mantine/core';
import { t } from '../i18n/i18n';

/** One accent colour, neutral greys, 14 px text, sizes on a grid of 4 px. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '20px' }, h2: { fontSize: '16px' }, h3: { fontSize: '14px' } },
  },
  components: {
    Text: { defaultProps: { size: 'sm' } },
    Anchor: { defaultProps: { size: 'sm', underline: 'always' } },
    Button: { defaultProps: { size: 'xs' } },
    Table: { defaultProps: { fz: 'sm' } },
    Alert: { defaultProps: { p: 'sm' } },
    // A function: the language is known once the page is drawn.
    Notification: { defaultProps: () => ({ closeButtonProps: { 'aria-label': t('shared.close') } }) },
  },
});

/** Mantine's quiet greys and its red have too little contrast on Mantine's backgrounds (WCAG 1.4.3). */
export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-placeholder': '#6c747c',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-anchor': '#364fc7',
    '--good': '#1f7a37',
    '--bad': '#c92a2a',
    '--waiting': '#8f5a00',
  },
  dark: {
    '--mantine-color-dimmed': '#a6a7ab',
    '--mantine-color-placeholder': '#909296',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#91a7ff',
    '--good': '#69db7c',
    '--bad': '#ff8787',
    '--waiting': '#ffd43b',
  },
});
