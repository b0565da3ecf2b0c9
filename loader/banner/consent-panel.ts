/**
 * The visitor's own consent in the second layer: its ID, receipt, withdrawal and erasure. Empty
 * without one.
 */
import type { SiteConfiguration, StoredChoice } from '../site';
import { bannerAddress } from './address';
import { clearCookies } from './clear-cookies';
import { button, element } from './element';
import type { Prompt } from './prompt';
import { forgetShared } from './share-choice';
import { forget, visitorKey } from './visitor-key';

export function consentPanel(prompt: Prompt, withdraw: () => void): Node[] {
  const { consent, configuration, text, isPreview } = prompt;
  const { choice } = consent;
  const { labels } = text;
  if (!choice?.id || !labels.consentId) return [];
  const key = isPreview ? null : visitorKey(configuration.projectId);
  const id = element('code', '', choice.id);
  const status = element('p', 'text');
  status.setAttribute('role', 'status');
  const small = (label: string | undefined, onClick: () => unknown): HTMLButtonElement =>
    button('small', label ?? '', onClick);
  const erasure = small(labels.erase, async () => {
    if (isPreview || !confirm(labels.eraseQuestion)) return;
    if (await eraseRecords(configuration, key)) location.reload();
    else status.textContent = labels.failed ?? '';
  });
  return [
    element(
      'div',
      'consent',
      element('p', 'text', `${labels.consentId}: `, id),
      small(labels.copy, () => copy(id)),
      small(labels.download, () => downloadReceipt(configuration, choice, key)),
      // Nothing can be withdrawn after everything was rejected.
      ...(choice.analytics || choice.marketing || choice.preferences || (BY_SERVICE && hasService(choice))
        ? [button('small withdraw', labels.withdraw ?? '', withdraw)]
        : []),
      ...(key || isPreview ? [erasure] : []),
      status,
    ),
  ];
}

const hasService = ({ services }: StoredChoice): boolean => Object.values(services ?? {}).includes(true);

function copy(id: HTMLElement): void {
  // Without the clipboard (a page without HTTPS), the visitor copies the selection.
  getSelection()?.selectAllChildren(id);
  void navigator.clipboard?.writeText(id.textContent ?? '').catch(() => {});
}

async function downloadReceipt(
  configuration: SiteConfiguration,
  choice: StoredChoice,
  key: string | null,
): Promise<void> {
  const response = key && (await post(configuration, key, 'receipts', { consentId: choice.id }));
  const receipt =
    response && response.ok ? ((await response.json()) as object) : summary(configuration, choice);
  const file = element('a', '');
  file.href = URL.createObjectURL(new Blob([JSON.stringify(receipt, null, 2)], { type: 'application/json' }));
  file.download = `consent-${choice.id}.json`;
  file.click();
  URL.revokeObjectURL(file.href);
}

/** The browser's copy of the choice, if the service cannot create a receipt. */
function summary({ projectId, configHash, policyVersion }: SiteConfiguration, choice: StoredChoice): object {
  const { prompt: _, at, ...chosen } = choice;
  return {
    projectId,
    hostname: location.hostname,
    ...chosen,
    chosenAt: at === undefined ? null : new Date(at).toISOString(),
    policyVersion,
    configHash,
  };
}

/**
 * Whether all of this visitor's data is deleted. Allowed scripts run until the page is left; the
 * next page shows the prompt again.
 */
async function eraseRecords(configuration: SiteConfiguration, key: string | null): Promise<boolean> {
  const response = await post(configuration, key, 'erasures', {});
  // 404: nothing is stored under the key.
  if (!response || !(response.ok || response.status === 404)) return false;
  forget(configuration.projectId);
  forgetShared();
  clearCookies(configuration.services, () => false);
  return true;
}

/** Sends the visitor's key to the service; null where the service is unavailable. */
function post(
  { projectId, consentUrl }: SiteConfiguration,
  visitorKey: string | null,
  path: string,
  fields: object,
): Promise<Response | null> {
  return fetch(new URL(`../../visitor/${path}`, new URL(consentUrl, bannerAddress)), {
    method: 'POST',
    // With cookies only on the page's own host, where the response changes the choice cookie. As
    // text, so that browsers send no preflight request.
    body: JSON.stringify({ projectId, visitorKey, ...fields }),
  }).catch(() => null);
}
