import { t } from '../../i18n/i18n';

/** The roles on projects, as options of a select. */
export const ROLE_OPTIONS = (['viewer', 'editor', 'owner'] as const).map((value) => ({
  value,
  label: t(`roles.${value}`),
}));
