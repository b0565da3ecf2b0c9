import { Code, Text } from '@mantine/core';
import type { DeliveryDto, ForwardingSettingsDto } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import { t } from '../../i18n/i18n';
import { isCurrentEndpoint, requestHeaders } from './request-headers';

/** What was sent in an attempt and what came back: status, category, time, and the request's headers. */
export function AttemptDetails({
  projectId,
  attempt,
  settings,
}: {
  projectId: string;
  attempt: DeliveryDto;
  settings: ForwardingSettingsDto | undefined;
}) {
  const { httpStatus, category, durationMs } = attempt;
  return (
    <>
      <dl className="facts">
        <dt>{t('deliveries.status')}</dt>
        <dd>{httpStatus ?? t('deliveries.noResponse')}</dd>
        {category !== null && (
          <>
            <dt>{t('deliveries.category')}</dt>
            <dd>{t(`deliveries.categories.${category}`)}</dd>
          </>
        )}
        <dt>{t('deliveries.duration')}</dt>
        <dd>{formatNumber(durationMs)} ms</dd>
      </dl>
      {settings && (
        <details>
          <summary>{t('deliveries.headers')}</summary>
          <Code block tabIndex={0} aria-label={t('deliveries.headers')} className="headers">
            {requestHeaders(projectId, attempt, settings)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          </Code>
          <Text c="dimmed">
            {isCurrentEndpoint(attempt, settings)
              ? t('deliveries.headersCurrent')
              : t('deliveries.headersUnknown')}
          </Text>
        </details>
      )}
    </>
  );
}
