import { Drawer } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import type { ProjectResponse } from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { t } from '../../i18n/i18n';

const load = () => import('./consent-details');
const ConsentDetails = lazy(async () => ({ default: (await load()).ConsentDetails }));

/** One record with its deliveries, beside the list that it was opened from. */
export function ConsentDrawer({
  project,
  consentId,
  onClose,
}: {
  project: ProjectResponse;
  consentId: string | undefined;
  onClose: () => void;
}) {
  // Preloaded after the list is drawn, so that opening a record does not wait for it.
  useEffect(() => void load(), []);
  return (
    <Drawer
      opened={consentId !== undefined}
      onClose={onClose}
      position="right"
      size={576}
      className="record-drawer"
      title={
        <>
          {t('consents.record')} {consentId !== undefined && <CopyId id={consentId} hasIcon />}
        </>
      }
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      {consentId !== undefined && (
        <Suspense fallback={<SkeletonRows rows={8} />}>
          <ConsentDetails key={consentId} project={project} consentId={consentId} onErased={onClose} />
        </Suspense>
      )}
    </Drawer>
  );
}
