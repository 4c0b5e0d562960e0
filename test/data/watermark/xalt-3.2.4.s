/*
 * The watermark that XALT 3.2.4 links into a program: what its xalt_generate_watermark has written, from
 * .file on, with other values (its output states that it is in the public domain). The link is the one
 * that test/collectors/write_as_xalt records.
 */
	.file    "xalt.s"
	.section .note.GNU-stack,"",@progbits
	.section .xalt
	.string "XALT_Link_Info"

	.byte 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00
	.string "<XALT_Version>%%3.2.4%%"
	.string "<Build_host>%%login1%%"
	.string "<Build_Syshost>%%tiny%%"
	.string "<Build_compiler>%%gcc%%"
	.string "<Build_compilerPath>%%/usr/bin/x86_64-linux-gnu-gcc-12%%"
	.string "<Build_OS>%%Linux_%_%_6.1.0%%"
	.string "<Build_User>%%bob%%"
	.string "<Build_UUID>%%5468e07b-0c8a-49a1-8010-3c9a11fce259%%"
	.string "<Build_Year>%%2024%%"
	.string "<Build_date>%%Tue_%_%_Nov_%_%_19_%_%_07:06:40_%_%_2024%%"
	.string "<Build_LOADEDMODULES>%%gcc/13:hdf5/1.14%%"
	.string "<Build_LMFILES>%%%%"
	.string "<Build_CWD>%%/home/bob/flow%%"
	.string "<Build_Epoch>%%1732000000.5000%%"
	.byte 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00
	.string "XALT_Link_Info_End"

/* This block is readable by a vendor note. */

	.section .note.GNU-stack,"",@progbits
	.section .note.xalt.info,"a"
	.p2align 2
	.long 1f - 0f /* name size (not including padding */
	.long 3f - 2f /* desc size (not including padding */
	.long 0x746c6158
0:	.string "XALT"
1:	.p2align 2
2:	.byte 0x02
	.string "XALT_Link_Info"
	.string "<XALT_Version>%%3.2.4%%"
	.string "<Build_host>%%login1%%"
	.string "<Build_Syshost>%%tiny%%"
	.string "<Build_compiler>%%gcc%%"
	.string "<Build_compilerPath>%%/usr/bin/x86_64-linux-gnu-gcc-12%%"
	.string "<Build_OS>%%Linux_%_%_6.1.0%%"
	.string "<Build_User>%%bob%%"
	.string "<Build_UUID>%%5468e07b-0c8a-49a1-8010-3c9a11fce259%%"
	.string "<Build_Year>%%2024%%"
	.string "<Build_date>%%Tue_%_%_Nov_%_%_19_%_%_07:06:40_%_%_2024%%"
	.string "<Build_LOADEDMODULES>%%gcc/13:hdf5/1.14%%"
	.string "<Build_LMFILES>%%%%"
	.string "<Build_CWD>%%/home/bob/flow%%"
	.string "<Build_Epoch>%%1732000000.5000%%"
	.byte 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00
	.string "XALT_Link_Info_End"
3:	.p2align 2
