import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ImportResponse } from '../../client/types.gen';
import { DataTable } from '../../shared/data-table';
import { formatNumber } from '../../shared/format';
import { StatusLabel } from '../../shared/status-label';
import { AbsoluteTime } from '../../shared/timestamps';
import { TruncatedText } from '../../shared/truncated-text';
import { t } from '../../i18n/i18n';

type Sample = ImportResponse['sample'][number];

/** Whether an import has ended. */
export const isOver = ({ state }: ImportResponse): boolean =>
  state === 'finished' || state === 'failed' || state === 'canceled';

/** Counts and refused rows of an import or a dry run. */
export function ImportResult({ projectId, result }: { projectId: string; result: ImportResponse }) {
  const { state, stored, repeated, refused, reasons, droppedColumns, failure, sample, fileName } = result;
  const facts: [string, number][] = [
    [t(state === 'checked' ? 'imports.wouldStore' : 'imports.stored'), stored],
    [t('imports.repeated'), repeated],
    [t('imports.refused'), refused],
  ];
  const dropped = Object.keys(droppedColumns);
  return (
    <Stack gap="xs">
      <Text component="div" role="status">
        <Verdict result={result} /> <span>{fileName}</span>
        {result.endedAt !== null && (
          <>
            {' · '}
            <AbsoluteTime at={result.endedAt} />
          </>
        )}
      </Text>
      {failure && <Text>{failure.detail}</Text>}
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{formatNumber(value)}</dd>
          </div>
        ))}
        {Object.entries(reasons).map(([reason, count]) => (
          <div key={reason} style={{ display: 'contents' }}>
            <dt>– {t(`imports.reasons.${reason as keyof typeof reasons & RefusalReason}`)}</dt>
            <dd>{formatNumber(count ?? 0)}</dd>
          </div>
        ))}
      </dl>
      {refused > 0 && !result.filesDeleted && (
        <div>
          <a href={`/v1/projects/${projectId}/imports/${result.id}/refused-rows`} download>
            {t('imports.download')}
          </a>
        </div>
      )}
      {dropped.length > 0 && (
        <Text c="dimmed" size="sm">
          {t('imports.dropped', { columns: dropped.join(', ') })}
        </Text>
      )}
      {sample.length > 0 && <SampleTable sample={sample} />}
    </Stack>
  );
}

type RefusalReason = ImportResponse['refusals'][number]['reason'];

/** Rows of the sample on the page, before a click shows all. */
const SHOWN = 10;

const FLAGS = ['analytics', 'marketing', 'preferences'] as const;

function grantedNames(sample: Sample): string {
  const granted = FLAGS.filter((flag) => sample[flag]).map((flag) => t(`categories.${flag}`));
  return granted.join(', ') || t('consents.noneGranted');
}

function SampleTable({ sample }: { sample: Sample[] }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <DataTable
        label={t('imports.sample')}
        items={isWhole ? sample : sample.slice(0, SHOWN)}
        columns={columns()}
        rowKey={({ id }) => id}
      />
      {!isWhole && sample.length > SHOWN && (
        <div>
          <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
            {t('imports.showSample', { count: formatNumber(sample.length) })}
          </Button>
        </div>
      )}
    </>
  );
}

const columns = () => [
  {
    title: t('consents.originalId'),
    flexible: true,
    cell: ({ originalId }: Sample) => <TruncatedText text={originalId} />,
  },
  { title: t('imports.given'), cell: ({ givenAt }: Sample) => <AbsoluteTime at={givenAt} /> },
  { title: t('consents.categories'), cell: (sample: Sample) => grantedNames(sample) },
];

function Verdict({ result: { state } }: { result: ImportResponse }) {
  if (state === 'failed') return <StatusLabel status="bad">{t('imports.failed')}</StatusLabel>;
  if (state === 'canceled') return <StatusLabel status="off">{t('imports.canceled')}</StatusLabel>;
  if (state === 'checked') return <StatusLabel status="waiting">{t('imports.checked')}</StatusLabel>;
  return <StatusLabel status="good">{t('imports.finished')}</StatusLabel>;
}
