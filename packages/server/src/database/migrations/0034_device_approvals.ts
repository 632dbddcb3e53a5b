/** The session that approved a device's sign-in: the approval ends with it (account/device/DeviceSignIns.ts). Null for one that no session approved. */
export default `
ALTER TABLE device_sign_in ADD COLUMN session_id uuid
`
