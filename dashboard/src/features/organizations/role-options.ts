import { t } from '../../i18n/i18n';
import { PROJECT_ROLES } from './roles';

export const ORGANIZATION_ROLE_OPTIONS = (['admin', 'billing', 'member'] as const).map((value) => ({
  value,
  label: t(`roles.${value}`),
}));

export const PROJECT_ROLE_OPTIONS = [
  { value: '', label: t('organizations.none') },
  ...PROJECT_ROLES.map((value) => ({ value, label: t(`roles.${value}`) })),
];
