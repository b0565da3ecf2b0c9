import { Button, Menu, type MenuItemProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLink, Link } from '@tanstack/react-router';
import { ownInvitationListOptions, projectListOptions } from '../client/@tanstack/react-query.gen';
import { OWN_INVITATIONS } from '../features/account/own-invitations';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import { t } from '../i18n/i18n';
import { Avatar } from '../shared/avatar';
import { VisibleText } from '../shared/visible-text';

/** Projects listed at most: a longer list is no help. */
const PROJECTS_MAX = 200;

/** The projects that the switcher offers. */
export const PROJECT_LIST = projectListOptions({ query: { limit: PROJECTS_MAX } });

const ProjectItem = createLink((props: MenuItemProps) => <Menu.Item component="a" {...props} />);

export function ProjectSwitcher({ projectId }: { projectId: string | undefined }) {
  const { data } = useQuery(PROJECT_LIST);
  const current = data?.items.find(({ id }) => id === projectId);
  return (
    <Menu position="bottom-start" width={208}>
      <Menu.Target>
        <Button
          variant="default"
          fullWidth
          className="switcher"
          aria-label={current ? t('shell.switchProject', { name: current.name }) : t('shell.chooseProject')}
          rightSection={<ChevronsUpDown className="icon" aria-hidden />}
        >
          {current && <Avatar name={current.name} />}
          <span className="switcher-name">
            <span>
              <VisibleText text={current?.name ?? (data ? t('shell.chooseProject') : '…')} />
            </span>
            {current?.domains[0] !== undefined && <small aria-hidden data-domain={current.domains[0]} />}
          </span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={400} style={{ overflowY: 'auto' }}>
        {data?.items.map(({ id, name }) => (
          <ProjectItem
            key={id}
            to="/projects/$projectId"
            params={{ projectId: id }}
            {...(id === projectId && { fw: 600 })}
          >
            <VisibleText text={name} />
          </ProjectItem>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/projects">
          {t('projects.title')}
        </Menu.Item>
        <InvitationsItem />
        <Menu.Item component={Link} to="/new-project">
          {t('shell.newProject')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Leads to the person's invitations, if there are any; they are requested once the menu opens. */
function InvitationsItem() {
  const { data } = useQuery({ ...ownInvitationListOptions(OWN_INVITATIONS), staleTime: 0 });
  const count = data?.items.length ?? 0;
  if (count === 0) return null;
  return (
    <Menu.Item component={Link} to="/account">
      {t('invitation.count', { count })}
    </Menu.Item>
  );
}
