import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { scanProofRead } from '../../client/sdk.gen';
import type { ScanResponse } from '../../client/types.gen';

import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';
import { ProofCheck } from '../evidence/proof';

const PENDING_MS = 10_000;

/** The proof of a scan: whether it is in the log, and its check in this very browser. */
export function ScanProof({ projectId, scan }: { projectId: string; scan: ScanResponse }) {
  const path = { projectId, scanId: scan.id };
  const hasResult = scan.status === 'completed' || scan.status === 'partial';
  const proof = useQuery({
    queryKey: ['scanProofRead', projectId, scan.id],
    enabled: hasResult,
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
  if (!hasResult) return null;
  return (
    <Section title={t('evidence.title')}>
      {proof.isError && <ProblemAlert error={proof.error} retry={() => void proof.refetch()} />}
      {proof.data?.kind === 'none' && <Text c="dimmed">{t('scans.proof.none')}</Text>}
      {proof.data?.kind === 'pending' && <Text c="dimmed">{t('evidence.pending')}</Text>}
      {proof.data?.kind === 'sealed' && <SealedScan path={path} bytes={proof.data.bytes} />}
    </Section>
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
