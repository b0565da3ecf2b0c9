import { t } from '../i18n/i18n';

const ATTRIBUTE = 'data-field-message';

/** Shows why a field keeps its form from being sent, in our words below the field, instead of the browser's bubble. */
export function showFieldMessages(): void {
  document.addEventListener(
    'invalid',
    (event) => {
      if (!(event.target instanceof HTMLElement) || !('validity' in event.target)) return;
      event.preventDefault();
      const field = event.target as HTMLInputElement;
      const message = messageOf(field);
      frameOf(field)?.setAttribute(ATTRIBUTE, message);
      field.setAttribute('aria-description', message);
      if (field.form?.querySelector(':invalid:not(fieldset)') === field) field.focus();
    },
    true,
  );
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    frameOf(target)?.removeAttribute(ATTRIBUTE);
    target.removeAttribute('aria-description');
  });
}

const frameOf = (field: HTMLElement): Element | null => field.closest('.mantine-InputWrapper-root');

function messageOf({ validity, type }: HTMLInputElement): string {
  if (validity.valueMissing) return t('fields.required');
  if (validity.typeMismatch) return t(type === 'email' ? 'fields.email' : 'fields.url_malformed');
  return t('fields.unfit');
}
