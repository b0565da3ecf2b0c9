import { Button, Stack, Text } from '@mantine/core';
import { forwardingTest } from '../../client/sdk.gen';
import { CopyId } from '../../shared/copy-id';
import { ProblemAlert } from '../../shared/problem-alert';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { failureSentence } from '../deliveries/outcome';

/** Sends a synthetic record to the saved endpoint and says how it went (spec §4.2). */
export function EndpointTest({ projectId, ready }: { projectId: string; ready: boolean }) {
  const mutation = useApiMutation({
    request: async () => (await forwardingTest({ path: { projectId } })).data,
  });
  const { data: result } = mutation;
  return (
    <Stack gap="sm" align="flex-start">
      <Button
        variant="default"
        disabled={!ready}
        loading={mutation.isPending}
        onClick={() => mutation.mutate(undefined)}
      >
        {t('forwarding.testNow')}
      </Button>
      {!ready && <Text c="dimmed">{t('forwarding.testNeedsEndpoint')}</Text>}
      <ProblemAlert error={mutation.error} />
      {result && (
        <div role="status">
          <StatusLabel status={result.delivered ? 'good' : 'bad'}>
            {result.delivered
              ? t('forwarding.testDelivered', { status: `${result.httpStatus ?? 0}`, ms: result.durationMs })
              : failureSentence(result)}
          </StatusLabel>
          <Text>
            {t('forwarding.testRecord')} <CopyId id={result.consentId} />
          </Text>
        </div>
      )}
    </Stack>
  );
}
