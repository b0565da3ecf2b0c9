import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import ChevronDown from 'lucide-react/icons/chevron-down';
import Download from 'lucide-react/icons/download';
import { tierReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectResponse, ScanResponse } from '../../client/types.gen';
import { locale, t } from '../../i18n/i18n';

const FORMATS = ['pdf', 'csv', 'json'] as const;
const TOOLS = ['inspection', 'edpb'] as const;

/** Files of a scan. PDF and CSV are features of the plan. */
export function ScanExports({ project, scan }: { project: ProjectResponse; scan: ScanResponse }) {
  const { data: tier } = useQuery(tierReadOptions({ path: { projectId: project.id } }));
  const hasTier = tier?.features.export === true;
  const link = (format: string) =>
    `/v1/projects/${project.id}/scans/${scan.id}/report?format=${format}&language=${locale}`;
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<Download className="icon" aria-hidden />}
          rightSection={<ChevronDown className="icon" aria-hidden />}
        >
          {t('scans.exports.title')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map((format) => {
          const isOpen = format === 'json' || hasTier;
          return (
            <Menu.Item
              key={format}
              {...(isOpen
                ? { component: 'a' as const, href: link(format), download: true }
                : { disabled: true })}
            >
              {t(`scans.exports.${format}`)}
              {!isOpen && ` · ${t('scans.exports.tier')}`}
            </Menu.Item>
          );
        })}
        <Menu.Label>{t('scans.exports.tools')}</Menu.Label>
        {TOOLS.map((format) => (
          <Menu.Item key={format} component="a" href={link(format)} download>
            {t(`scans.exports.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
