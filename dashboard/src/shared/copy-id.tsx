import Copy from 'lucide-react/icons/copy';
import { t } from '../i18n/i18n';
import { VisuallyHidden } from './visually-hidden';
import { shortId } from './short-id';
import { showToast } from './toasts';

/** How long a copied id is confirmed. */
const COPIED_MS = 2_000;

/** An id in its own face, shortened in the middle; a click copies all of it. */
export function CopyId({
  id,
  whole = false,
  hasIcon = false,
}: {
  id: string;
  whole?: boolean;
  /** For an id outside of tables, where the icons would distract. */
  hasIcon?: boolean;
}) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(id);
      showToast(t('shared.copied'), { closeAfterMs: COPIED_MS });
    } catch {
      // A page without HTTPS has no clipboard: all of it is shown, to be copied by hand.
      showToast(id);
    }
  };
  return (
    <button
      type="button"
      className="plain-button mono id"
      title={`${id} – ${t('shared.copyHint')}`}
      onClick={(event) => {
        // In a row that opens a drawer, a click on the id copies and does nothing else.
        event.stopPropagation();
        void copy();
      }}
    >
      {whole ? id : shortId(id)}
      {hasIcon && <Copy className="icon" aria-hidden />}
      <VisuallyHidden>{t('shared.copy')}</VisuallyHidden>
    </button>
  );
}
