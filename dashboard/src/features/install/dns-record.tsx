import { Stack, Text } from '@mantine/core';
import type { DomainRecordResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import { CopyableCode } from '../../shared/copyable-code';

/** A record as the forms of DNS providers ask for it, each part with a button that copies it. */
export function DnsRecord({ record: { type, name, value } }: { record: DomainRecordResponse }) {
  const parts = [
    [t('install.domains.recordName'), name],
    [t('install.domains.recordValue'), value],
  ] as const;
  return (
    <Stack gap={4}>
      <Text c="dimmed">
        {t('install.domains.recordType')}: {type}
      </Text>
      {parts.map(([title, text]) => (
        <div key={title}>
          <Text c="dimmed">{title}</Text>
          <CopyableCode text={text} label={`${type} ${title}`} />
        </div>
      ))}
    </Stack>
  );
}
