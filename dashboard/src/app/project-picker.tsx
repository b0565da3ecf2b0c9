import { useQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import Check from 'lucide-react/icons/check';
import List from 'lucide-react/icons/list';
import Mail from 'lucide-react/icons/mail';
import Plus from 'lucide-react/icons/plus';
import Users from 'lucide-react/icons/users';
import { useState } from 'react';
import type { ProjectResponse } from '../client/types.gen';
import { OWN_INVITATION_LIST } from '../features/account/own-invitation-list';
import { useOrganizations } from '../features/organizations/organization-list';
import { locale, t } from '../i18n/i18n';
import { Avatar } from '../shared/avatar';
import { PROJECT_LIST } from '../shared/project-list';
import { recentProjects } from '../shared/recent-projects';
import { plain, searchWords } from '../shared/search-words';
import { Picker, type PickerOption } from './picker';

/** Projects listed at most, beside the recent ones. */
const LISTED_MAX = 50;

/** Finds a project by its name or domain; without a search, the ones opened last come first. */
export function ProjectPicker(props: {
  projectId: string | undefined;
  organizationId: string;
  onClose: () => void;
}) {
  const { projectId, organizationId, onClose } = props;
  const [text, setText] = useState('');
  const projects = useQuery(PROJECT_LIST).data?.items ?? [];
  const invitations = useQuery({ ...OWN_INVITATION_LIST, staleTime: 0 });
  const invitationCount = invitations.data?.items.length ?? 0;
  const matches = searchWords(text);
  const begins = ({ name }: ProjectResponse) => Number(plain(name).startsWith(plain(text.trim())));
  const found = projects
    .filter(({ name, domains }) => matches(name, ...domains))
    .toSorted((a, b) => begins(b) - begins(a) || a.name.localeCompare(b.name, locale, { numeric: true }));
  const recentIds = recentProjects.read();
  const isRecent = ({ id }: ProjectResponse) => text === '' && recentIds.includes(id);
  const recent = found.filter(isRecent).toSorted((a, b) => recentIds.indexOf(a.id) - recentIds.indexOf(b.id));
  const others = found.filter((project) => !isRecent(project));
  const option = ({ id, name, domains }: ProjectResponse): PickerOption => ({
    key: id,
    label: name,
    icon: <Avatar name={name} />,
    hint: id === projectId ? <Check className="icon" aria-label={t('shell.currentProject')} /> : domains[0],
    link: linkOptions({ to: '/projects/$projectId', params: { projectId: id } }),
  });
  const organizations = useOrganizations()
    .filter(({ name }) => matches(name))
    .toSorted((a, b) => a.name.localeCompare(b.name, locale, { numeric: true }))
    .map(({ id, name }): PickerOption => ({
      key: id,
      label: name,
      icon: <Avatar name={name} />,
      hint: id === organizationId && <Check className="icon" aria-hidden />,
      link: linkOptions({ to: '/organizations/$organizationId', params: { organizationId: id } }),
    }));
  const pages: PickerOption[] = [
    {
      key: 'all',
      label: t('projects.title'),
      icon: <List className="icon" aria-hidden />,
      hint: <kbd>g p</kbd>,
      link: linkOptions({ to: '/projects' }),
    },
    {
      key: 'new',
      label: t('shell.newProject'),
      icon: <Plus className="icon" aria-hidden />,
      link: linkOptions({ to: '/new-project' }),
    },
    {
      key: 'new-organization',
      label: t('shell.newOrganization'),
      icon: <Users className="icon" aria-hidden />,
      link: linkOptions({ to: '/new-organization' }),
    },
    {
      key: 'invitations',
      label: t('invitation.count', { count: invitationCount }),
      icon: <Mail className="icon" aria-hidden />,
      link: linkOptions({ to: '/account' }),
    },
  ];
  const shown = pages.filter(
    ({ key, label }) => (key !== 'invitations' || invitationCount > 0) && matches(label),
  );
  const [allProjects, ...otherPages] = shown;
  const isSearching = text !== '';
  return (
    <Picker
      label={t('shell.findProject')}
      placeholder={t('shell.findProjectHint')}
      text={text}
      onText={setText}
      groups={[
        { options: allProjects && !isSearching ? [allProjects] : [] },
        { title: t('shell.recentProjects'), options: recent.map(option) },
        {
          title: recent.length > 0 ? t('shell.moreProjects') : t('shell.projects'),
          options: others.slice(0, LISTED_MAX).map(option),
        },
        { title: t('shell.organizations'), options: organizations },
        { options: isSearching ? shown : otherPages },
      ]}
      more={Math.max(others.length - LISTED_MAX, 0)}
      onClose={onClose}
    />
  );
}
