/** What owners and admins are mailed of, whatever their notification settings. */
export type AccessEvent =
  | 'owner_named'
  | 'owner_declined'
  | 'owner_withdrawn'
  | 'owner_changed'
  | 'admin_demoted'
  | 'admin_suspended'
  | 'admin_removed'
  | 'admin_left'
  | 'acting_key_made';
