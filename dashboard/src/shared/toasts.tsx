import { Affix, Notification, Stack } from '@mantine/core';
import { useSyncExternalStore } from 'react';

interface Toast {
  id: number;
  message: string;
  isError: boolean;
}

/** The most that are shown at once; an older one makes room. */
const TOASTS_MAX = 5;

let shown: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Shows a message in the corner of the page. Without `closeAfterMs` it stays until it is closed. */
export function showToast(
  message: string,
  { isError = false, closeAfterMs }: { isError?: boolean; closeAfterMs?: number } = {},
): void {
  const id = ++lastId;
  replace([...shown, { id, message, isError }].slice(-TOASTS_MAX));
  if (closeAfterMs !== undefined) setTimeout(() => close(id), closeAfterMs);
}

/** Renders the current toasts, once per page. */
export function Toasts() {
  const toasts = useSyncExternalStore(subscribe, () => shown);
  return (
    <Affix position={{ bottom: 16, right: 16 }} maw="calc(100vw - 32px)" w={440}>
      <Stack gap="sm">
        {toasts.map(({ id, message, isError }) => (
          <Notification key={id} color={isError ? 'red' : undefined} withBorder onClose={() => close(id)}>
            {message}
          </Notification>
        ))}
      </Stack>
    </Affix>
  );
}

function close(id: number): void {
  replace(shown.filter((toast) => toast.id !== id));
}

function replace(toasts: readonly Toast[]): void {
  shown = toasts;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
