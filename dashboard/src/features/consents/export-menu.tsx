import { Button, Menu } from '@mantine/core';
import Download from 'lucide-react/icons/download';
import type { ProjectResponse } from '../../client/types.gen';
import type { AccessDenial } from '../../shared/access';
import { timeZoneName, type Zone } from '../../shared/time';
import { locale, t } from '../../i18n/i18n';
import type { ConsentFilters } from './filters';
import { consentQuery } from './queries';

/** Downloads exactly the filtered records. */
export function ExportMenu({
  project,
  filters,
  zone,
  refusal,
}: {
  project: ProjectResponse;
  filters: ConsentFilters;
  zone: Zone;
  refusal: AccessDenial;
}) {
  const exportUrl = (options: { format: 'csv' | 'pdf'; proofs?: true }) => {
    const shown = options.format === 'pdf' && { pdfLanguage: locale, timeZone: timeZoneName(zone) };
    const query = { ...options, ...shown, ...consentQuery(filters, zone) };
    const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
    return `/v1/projects/${project.id}/consents/export?${new URLSearchParams(texts)}`;
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<Download className="icon" aria-hidden />}
          disabled={refusal !== null}
        >
          {t('consents.exportMenu')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={exportUrl({ format: 'csv' })} download>
          {t('consents.export', { format: 'CSV' })}
        </Menu.Item>
        <Menu.Item component="a" href={exportUrl({ format: 'pdf' })} download>
          {t('consents.export', { format: 'PDF' })}
        </Menu.Item>
        <Menu.Item
          component="a"
          href={exportUrl({ format: 'csv', proofs: true })}
          title={t('consents.withProofsHint')}
          download
        >
          {t('consents.exportProofs')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
