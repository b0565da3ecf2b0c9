import { Button, Stack, Text } from '@mantine/core';
import { forwardingTest } from '../../client/sdk.gen';
import { CopyId } from '../../shared/copy-id';
import { ProblemAlert } from '../../shared/problem-alert';
import { State } from '../../shared/state';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';
import { failureSentence } from '../deliveries/outcome';

/** Sends a synthetic record to the saved endpoint and says how it went (spec §4.2). */
export function EndpointTest({ projectId, ready }: { projectId: string; ready: boolean }) {
  const act = useAct({
    run: async () => (await forwardingTest({ path: { projectId } })).data,
  });
  const { result } = act;
  return (
    <Stack gap="sm" align="flex-start">
      <Button variant="default" disabled={!ready} loading={act.pending} onClick={() => act.run(undefined)}>
        {t('forwarding.testNow')}
      </Button>
      {!ready && <Text c="dimmed">{t('forwarding.testNeedsEndpoint')}</Text>}
      <ProblemAlert error={act.error} />
      {result && (
        <div role="status">
          <State is={result.delivered ? 'good' : 'bad'}>
            {result.delivered
              ? t('forwarding.testDelivered', { status: `${result.httpStatus ?? 0}`, ms: result.durationMs })
              : failureSentence(result)}
          </State>
          <Text>
            {t('forwarding.testRecord')} <CopyId id={result.consentId} />
          </Text>
        </div>
      )}
    </Stack>
  );
}
