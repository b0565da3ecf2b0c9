import { Button, Drawer, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { scanProofRead } from '../../client/sdk.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { ProofCheck } from '../evidence/proof';

const PENDING_MS = 10_000;

/** The proof of a scan: whether it is in the log, and its check in this very browser. */
export function ScanProof({ projectId, scanId }: { projectId: string; scanId: string }) {
  const [opened, drawer] = useDisclosure(false);
  const path = { projectId, scanId };
  const proof = useQuery({
    queryKey: ['scanProofRead', projectId, scanId],
    // Bytes: as text, a byte order mark would be gone before the check.
    queryFn: async () => {
      const { data, response, error } = await scanProofRead({
        path,
        parseAs: 'arrayBuffer',
        throwOnError: false,
      });
      if (response?.status === 409) return { kind: 'none' as const };
      if (error !== undefined) throw error as unknown as Error;
      if (response?.status === 202) return { kind: 'pending' as const };
      return { kind: 'sealed' as const, bytes: data as unknown as ArrayBuffer };
    },
    refetchInterval: ({ state }) => (state.data?.kind === 'pending' ? PENDING_MS : false),
  });
  const kind = proof.data?.kind;
  return (
    <>
      <Button
        variant="default"
        leftSection={<ShieldCheck className="icon scan-proof-icon" data-kind={kind} aria-hidden />}
        onClick={drawer.open}
      >
        {t('evidence.title')}
        {kind !== undefined && (
          <span className="scan-proof-state">&nbsp;· {t(`scans.proof.states.${kind}`)}</span>
        )}
      </Button>
      <Drawer
        opened={opened}
        onClose={drawer.close}
        position="right"
        title={t('evidence.title')}
        closeButtonProps={{ 'aria-label': t('shared.close') }}
      >
        <Stack gap="sm">
          {proof.isError && <ProblemAlert error={proof.error} retry={() => void proof.refetch()} />}
          {kind === 'none' && <Text c="dimmed">{t('scans.proof.none')}</Text>}
          {kind === 'pending' && <Text c="dimmed">{t('evidence.pending')}</Text>}
          {proof.data?.kind === 'sealed' && <SealedScan path={path} bytes={proof.data.bytes} />}
        </Stack>
      </Drawer>
    </>
  );
}

function SealedScan({ path, bytes }: { path: { projectId: string; scanId: string }; bytes: ArrayBuffer }) {
  const { projectId, scanId } = path;
  return (
    <>
      <Text c="dimmed">{t('scans.proof.sealed')}</Text>
      <ProofCheck
        kind="scan"
        load={() => Promise.resolve(bytes)}
        download={{
          href: `/v1/projects/${projectId}/scans/${scanId}/proof`,
          label: t('evidence.download.tlog-proof'),
        }}
      />
    </>
  );
}
