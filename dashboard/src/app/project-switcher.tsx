import { Button, Popover } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import { lazy, Suspense } from 'react';
import { t } from '../i18n/i18n';
import { Avatar } from '../shared/avatar';
import { PROJECT_LIST } from '../shared/project-list';
import { VisibleText } from '../shared/visible-text';

const ProjectPicker = lazy(async () => ({ default: (await import('./pickers')).ProjectPicker }));

export function ProjectSwitcher({ projectId }: { projectId: string | undefined }) {
  const { data } = useQuery(PROJECT_LIST);
  const [opened, picker] = useDisclosure(false);
  const current = data?.items.find(({ id }) => id === projectId);
  return (
    <Popover
      opened={opened}
      onChange={(isOpen) => (isOpen ? picker.open() : picker.close())}
      position="bottom-start"
      width={372}
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <Button
          variant="default"
          fullWidth
          className="switcher"
          aria-label={current ? t('shell.switchProject', { name: current.name }) : t('shell.chooseProject')}
          rightSection={<ChevronsUpDown className="icon" aria-hidden />}
          onClick={picker.toggle}
        >
          {current && <Avatar name={current.name} />}
          <span className="switcher-name">
            <span>
              <VisibleText text={current?.name ?? (data ? t('shell.chooseProject') : '…')} />
            </span>
            {current?.domains[0] !== undefined && <small aria-hidden data-domain={current.domains[0]} />}
          </span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={0} maw="calc(100vw - 24px)">
        <Suspense>
          <ProjectPicker projectId={projectId} onClose={picker.close} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
