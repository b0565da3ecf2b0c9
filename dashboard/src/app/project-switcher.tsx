import { Button, Popover } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import { lazy, Suspense } from 'react';
import { organizationReadOptions } from '../client/@tanstack/react-query.gen';
import { t } from '../i18n/i18n';
import { Avatar } from '../shared/avatar';
import { PROJECT_LIST } from '../shared/project-list';
import { VisibleText } from '../shared/visible-text';

const ProjectPicker = lazy(async () => ({ default: (await import('./pickers')).ProjectPicker }));

export function ProjectSwitcher(props: {
  projectId: string | undefined;
  /** The organization of the page; it takes the project's place. */
  organizationId: string | undefined;
}) {
  const { projectId, organizationId = '' } = props;
  const { data } = useQuery(PROJECT_LIST);
  const [opened, picker] = useDisclosure(false);
  const organization = useQuery({
    ...organizationReadOptions({ path: { organizationId } }),
    enabled: organizationId !== '',
  }).data;
  const project = data?.items.find(({ id }) => id === projectId);
  const current = organization ?? project;
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
          aria-label={
            current
              ? t(organization ? 'shell.switchOrganization' : 'shell.switchProject', { name: current.name })
              : t('shell.chooseProject')
          }
          rightSection={<ChevronsUpDown className="icon" aria-hidden />}
          onClick={picker.toggle}
        >
          {current && <Avatar name={current.name} />}
          <span className="switcher-name">
            <span>
              <VisibleText text={current?.name ?? (data ? t('shell.chooseProject') : '…')} />
            </span>
            {project?.domains[0] !== undefined && <small aria-hidden data-domain={project.domains[0]} />}
          </span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={0} maw="calc(100vw - 24px)">
        <Suspense>
          <ProjectPicker projectId={projectId} organizationId={organizationId} onClose={picker.close} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
