import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { scanListOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectResponse, ScanResponse } from '../../client/types.gen';
import { checkAccess } from '../../shared/access';
import { t } from '../../i18n/i18n';
import { NewScanDialog } from './new-scan-dialog';
import { isRunning } from './scan-status';

/** Requests another scan from the same addresses. */
export function ScanAgain({ project, scan }: { project: ProjectResponse; scan: ScanResponse }) {
  const navigate = useNavigate();
  const [asking, dialog] = useDisclosure(false);
  const path = { projectId: project.id };
  const { data } = useQuery(scanListOptions({ path, query: { limit: 1 } }));
  const allowance = data?.allowance;
  const canScan =
    checkAccess(project, { role: 'editor' }) === null &&
    allowance?.scannerAvailable === true &&
    allowance.scansLeft > 0 &&
    !data?.items.some(isRunning);
  return (
    <>
      <Button
        disabled={!canScan}
        leftSection={<RotateCw className="icon" aria-hidden />}
        onClick={dialog.open}
      >
        {t('scans.again')}
      </Button>
      {asking && allowance && (
        <NewScanDialog
          projectId={project.id}
          allowance={allowance}
          urls={scan.urls}
          onClose={dialog.close}
          onStarted={(scanId) =>
            void navigate({
              to: '/projects/$projectId/scans/$scanId',
              params: { projectId: project.id, scanId },
            })
          }
        />
      )}
    </>
  );
}
