import { Modal } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { t } from '../i18n/i18n';

/** How long after `g` the second key may come. */
const SEQUENCE_MS = 1_500;

/** As the person's keyboard names them. */
export const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

const SHORTCUTS = [
  [PALETTE_KEYS, 'palette.title'],
  ['/', 'keys.search'],
  ['g p', 'projects.title'],
  ['g o', 'pages.overview'],
  ['g c', 'pages.consents'],
  ['g d', 'pages.deliveries'],
  ['g a', 'pages.analytics'],
  ['g b', 'pages.banner'],
  ['g i', 'pages.install'],
  ['g s', 'pages.recordsAndArchive'],
  ['?', 'keys.help'],
  ['Esc', 'keys.escape'],
] as const;

/** The pages that `g` and another key open. */
const PAGES = new Map([
  ['o', '/projects/$projectId'],
  ['c', '/projects/$projectId/consents'],
  ['d', '/projects/$projectId/deliveries'],
  ['a', '/projects/$projectId/analytics'],
  ['b', '/projects/$projectId/banner'],
  ['i', '/projects/$projectId/install'],
  ['s', '/projects/$projectId/settings/consent/records-and-archive'],
] as const);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Keyboard shortcuts of every page; all but the palette's are off while a field has the focus. */
export function useKeyboardShortcuts({
  projectId,
  openHelp,
  openPalette,
}: {
  projectId: string | undefined;
  openHelp: () => void;
  openPalette: () => void;
}): void {
  const navigate = useNavigate();
  useEffect(() => {
    let goneAt = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      const page = PAGES.get(event.key as 'o');
      const inSequence = event.timeStamp - goneAt < SEQUENCE_MS;
      goneAt = event.key === 'g' ? event.timeStamp : -Infinity;
      if (event.key === '?') openHelp();
      else if (inSequence && event.key === 'p') void navigate({ to: '/projects' });
      else if (event.key === '/') {
        const search = document.querySelector<HTMLElement>('[data-search]');
        if (!search) return;
        event.preventDefault();
        search.focus();
      } else if (inSequence && page !== undefined && projectId)
        void navigate({ to: page, params: { projectId } });
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [projectId, navigate, openHelp, openPalette]);
}

export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('keys.title')}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      <dl className="facts">
        {SHORTCUTS.map(([keys, message]) => (
          <div key={keys} style={{ display: 'contents' }}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{t(message)}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
